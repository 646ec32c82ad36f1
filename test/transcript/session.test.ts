import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import {
  apply,
  applyAll,
  emptyTranscript,
  fromSnapshot,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { delta, open, say, stampAll, start, transcriptOf, work } from './events.ts'
import { textsIn } from './seen.ts'

describe('the session', () => {
  test('what it is, and what changed', () => {
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

  test('the state of the turn is told, or follows from what happens', () => {
    expect(transcriptOf(start).turnState).toBe('turn_started')
    const told: AgentEvent = { type: 'turn_state', oldState: 'turn_started', newState: 'idle' }
    expect(transcriptOf(start, told).turnState).toBe('idle')
  })

  test('a reset clears the conversation', () => {
    const after = transcriptOf(...say('a', 'x'), ...work('t', 'y'), {
      type: 'session_update',
      reset: true,
    })
    expect(textsIn(after)).toEqual([])
  })

  test('errors and notices stand where they happened', () => {
    const after = transcriptOf(
      ...say('a', 'x'),
      { type: 'session_update', notice: { level: 'warning', text: 'Slow.' } },
      { type: 'error', code: 'agent_exit', message: 'It died.', fatal: true },
    )
    expect(textsIn(after)).toEqual(['assistant: x', 'warning: Slow.', 'error: It died.'])
  })

  test('what the agent says it is doing lasts as long as its run; how it thinks stays', () => {
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

  test('queue, retry, tasks and the end of a run', () => {
    const retry = { attempt: 1, delayMs: 5, reason: 'overloaded' }
    const queued = { steering: ['left'], followUp: [] }
    const events: AgentEvent[] = [
      start,
      { type: 'queue_update', queued },
      { type: 'auto_retry_start', ...retry },
      { type: 'session_update', task: { id: '1', status: 'running', description: 'Count' } },
      { type: 'session_update', task: { id: '1', status: 'completed' }, backgroundTasks: ['2'] },
    ]
    const before = transcriptOf(...events)
    expect(before).toMatchObject({ isStreaming: true, queued, retry, outcome: null })
    expect(before.tasks).toEqual([{ id: '1', status: 'completed', description: 'Count' }])
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

describe('the stamp', () => {
  test('an event that is already there changes nothing', () => {
    const events = stampAll([start, open('a'), delta('a', 'once')])
    const once = applyAll(emptyTranscript(), events)
    expect(applyAll(once, events)).toBe(once)
  })

  test('events without a stamp are applied', () => {
    const after = applyAll(emptyTranscript('s'), [start, ...say('a', 'x')])
    expect(textsIn(after)).toEqual(['assistant: x'])
    expect(after).toMatchObject({ seq: 0, turnState: 'step_finished' })
  })

  test('a type that is not known only moves the place', () => {
    const [event] = stampAll([start])
    const before = emptyTranscript('s')
    const unknown = JSON.parse(JSON.stringify({ ...event, type: 'weather_report' }))
    expect(apply(before, unknown)).toEqual({ ...before, seq: 1 })
  })
})
