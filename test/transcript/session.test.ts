import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  applyEvent,
  applyEvents,
  emptyTranscript,
  entriesOf,
  fromSnapshot,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { modelView } from '../../src/transcript/model-view.ts'
import {
  close,
  delta,
  open,
  stampAll,
  start,
  text,
  transcriptOf,
  wholeMessage,
  wholeTool,
} from './events.ts'
import { entryLines } from './inspect.ts'

describe('the session', () => {
  test('has its details, and the changes to them', () => {
    const after = transcriptOf(
      { type: 'session_start', agent: 'pi', model: 'm', cwd: '/p' },
      { type: 'session_update', model: 'n', name: 'Build' },
    )
    expect(after).toMatchObject({
      sessionId: 's',
      seq: 2,
      agent: 'pi',
      model: 'n',
      cwd: '/p',
      name: 'Build',
    })
  })

  test('the turn state comes from turn_state events, or follows from other events', () => {
    expect(transcriptOf(start).turnState).toBe('turn_started')
    const change: AgentEvent = { type: 'turn_state', oldState: 'turn_started', newState: 'idle' }
    expect(transcriptOf(start, change).turnState).toBe('idle')
  })

  test('a reset keeps the conversation, and marks that the model no longer sees it', () => {
    const after = transcriptOf(...wholeMessage('a', 'x'), ...wholeTool('t', 'y'), {
      type: 'session_update',
      reset: true,
    })
    const cleared = 'info: The conversation was cleared. The agent no longer sees what is above.'
    expect(entryLines(after).at(-1)).toBe(cleared)
    const { messages } = toSnapshot(after, { projectId: 'p' })
    expect(messages).toHaveLength(2)
    expect(modelView(messages)).toEqual([])
  })

  test('errors and notices are entries of the conversation', () => {
    const after = transcriptOf(
      ...wholeMessage('a', 'x'),
      { type: 'session_update', notice: { level: 'warning', text: 'Slow.' } },
      { type: 'error', code: 'agent_exit', message: 'It died.', fatal: true },
    )
    expect(entryLines(after)).toEqual(['assistant: x', 'warning: Slow.', 'error: It died.'])
  })

  test('the status ends with the run, and the thinking level stays', () => {
    const events: AgentEvent[] = [
      { type: 'session_start', agent: 'pi', thinkingLevel: 'low' },
      start,
      { type: 'session_update', thinkingLevel: 'high' },
      { type: 'session_update', status: 'stopping' },
    ]
    const before = transcriptOf(...events)
    expect(before).toMatchObject({ thinkingLevel: 'high', status: 'stopping' })
    expect(fromSnapshot(toSnapshot(before, { projectId: 'p' }))).toEqual(before)
    const after = transcriptOf(...events, { type: 'agent_end', stopReason: 'aborted' })
    expect(after).toMatchObject({ thinkingLevel: 'high' })
    expect(after).not.toHaveProperty('status')
  })

  test('a run that was stopped says so, unless its last message does', () => {
    const stopped: AgentEvent = { type: 'agent_end', stopReason: 'aborted' }
    const notice = { kind: 'notice', level: 'info', text: 'Stopped.' }
    expect(entriesOf(transcriptOf(start, stopped))).toMatchObject([notice])
    const cut = close('a', [text('Half')], { stopReason: 'aborted' })
    expect(entriesOf(transcriptOf(start, open('a'), cut, stopped))).toMatchObject([
      { kind: 'message', message: { stopReason: 'aborted' } },
    ])
  })

  test('tracks the queue, retries, tasks and the end of a run', () => {
    const retry = { attempt: 1, delayMs: 5, reason: 'overloaded' }
    const queued = { steering: ['left'], followUp: [] }
    const events: AgentEvent[] = [
      start,
      { type: 'queue_update', queued },
      { type: 'auto_retry_start', ...retry },
      {
        type: 'session_update',
        task: { id: '1', state: 'running', status: 'running', description: 'Count' },
      },
      {
        type: 'session_update',
        task: { id: '1', state: 'completed', status: 'completed' },
        backgroundTasks: ['2'],
      },
    ]
    const before = transcriptOf(...events)
    expect(before).toMatchObject({ isStreaming: true, queued, retry, outcome: null })
    expect(before.tasks).toEqual([
      {
        id: '1',
        state: 'completed',
        status: 'completed',
        description: 'Count',
        startedAt: 1004,
        endedAt: 1005,
      },
    ])
    expect(before.backgroundTasks).toEqual(['2'])
    const after = transcriptOf(...events, { type: 'agent_end', stopReason: 'aborted' })
    expect(after).toMatchObject({
      isStreaming: false,
      retry: null,
      outcome: { stopReason: 'aborted' },
      turnState: 'turn_finished',
    })
  })
})

describe('the envelope', () => {
  test('an event that was applied before changes nothing', () => {
    const events = stampAll([start, open('a'), delta('a', 'once')])
    const once = applyEvents(emptyTranscript(), events)
    expect(applyEvents(once, events)).toBe(once)
  })

  test('events without an envelope are applied', () => {
    const after = applyEvents(emptyTranscript('s'), [start, ...wholeMessage('a', 'x')])
    expect(entryLines(after)).toEqual(['assistant: x'])
    expect(after).toMatchObject({ seq: 0, turnState: 'step_started' })
  })

  test('an event of an unknown type only changes the seq', () => {
    const [event] = stampAll([start])
    const before = emptyTranscript('s')
    const unknown = JSON.parse(JSON.stringify({ ...event, type: 'weather_report' }))
    expect(applyEvent(before, unknown)).toEqual({ ...before, seq: 1 })
  })
})
