import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type BusMessage,
  createLocalBus,
  createProjection,
  piSdkSchemas,
} from '../../src/bus/index.ts'
import { type AgentEvent, createStamp, type Message } from '../../src/events/index.ts'
import { recording } from '../support/recordings.ts'
import { eventsOf, ids, on, projected } from './recorded.ts'

const pi = 'adapter:piSdk'

/** What events of one session become. */
const push = (...events: AgentEvent[]) =>
  events
    .map(createStamp('s', () => 7))
    .flatMap(createProjection(pi, ids).push)
    .map(({ subject, payload }) => [subject.replace(`${pi}.`, ''), payload])

const textMessage = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})
const sessionId = 's'

describe('a stream on the bus', () => {
  test('has a text of Pi from beginning to end', () => {
    const messages = projected('pi/1.5.0/text-only')
    const names = messages.map(({ subject }) => subject.replace(`${pi}.`, ''))
    expect(names.filter((name, at) => name !== names[at - 1])).toEqual([
      'agent_started',
      'message_complete', // the system prompt, then the user’s
      'text_delta',
      'text_complete',
      'message_complete',
      'usage',
      'agent_complete',
    ])
    const [complete] = on(messages, 'agent_complete')
    expect(complete?.payload.text).toBe(
      'Hello! This is a plain text answer from the scripted model. It has two sentences.',
    )
    expect(complete?.payload.messages).toHaveLength(3)
  })

  test('has the tools and the usage of a subagent, but not its text', () => {
    const messages = projected('claude/2.1.325/agent-forward')
    const texts = on(messages, 'text_complete').map(({ payload }) => payload.text)
    expect(texts).toEqual(['Delegating to a subagent.', 'The subagent counted the files.'])
    const parents = on(messages, 'tool_started').map(({ payload }) => payload.parentToolCallId)
    expect(parents).toEqual([undefined, on(messages, 'tool_started')[0]?.payload.toolCallId])
    expect(on(messages, 'usage').filter(({ payload }) => payload.parentToolCallId)).toHaveLength(2)
  })

  test('a withdrawn message is not among the messages of its run', () => {
    const messages = projected('pi/0.87.1/retry-midstream')
    expect(on(messages, 'auto_retry_started')[0]?.payload).toMatchObject({ attempt: 1 })
    const [complete] = on(messages, 'agent_complete')
    const whole = on(messages, 'message_complete').map(({ payload }) => payload.message)
    expect(whole).toContainEqual(expect.objectContaining({ stopReason: 'error' }))
    expect(complete?.payload.messages).not.toContainEqual(
      expect.objectContaining({ stopReason: 'error' }),
    )
  })

  test('sessions do not mix', () => {
    const [left, right] = ['pi/1.5.0/text-only', 'pi/1.5.0/rpc-tools']
    const [one, other] = [createProjection(pi, ids), createProjection(pi, ids)]
    const [ones, others] = [eventsOf(recording(left)), eventsOf(recording(right))]
    const mixed = ones.flatMap((event, at) => {
      const beside = others[at]
      return [...one.push(event), ...(beside ? other.push(beside) : [])]
    })
    const own = mixed.filter(({ payload }) => payload.sessionId === left)
    expect(own).toEqual(projected(left))
  })

  test('reaches subscribers in order', async () => {
    const bus = createLocalBus({
      onError: (report) => {
        throw new Error(report.code)
      },
    })
    const received: BusMessage[] = []
    bus.on('adapter:claudeCli.>', (message) => void received.push(message))
    const expected = projected('claude/2.1.325/bash')
    for (const { subject, payload } of expected) bus.emit(subject, payload)
    await bus.close()
    expect(received).toEqual(expected)
  })
})

describe('one event becomes', () => {
  test('agent_started, with the model once it is named', () => {
    const named = { type: 'session_start', agent: 'pi', model: 'm1' } as const
    const changed = { type: 'session_update', model: 'm2' } as const
    const nested = { ...changed, model: 'other', parentToolCallId: 'call' } as const
    const start = { type: 'agent_start' } as const
    const started = (model?: string) => [
      'agent_started',
      { eventType: 'agent_started', ...(model !== undefined && { model }), sessionId },
    ]
    expect(push(start)).toEqual([started()])
    expect(push(named, start, changed, nested, start)).toEqual([started('m1'), started('m2')])
  })

  test('turn.state_changed, and the subject of the new state', () => {
    const change = { oldState: 'turn_started', newState: 'step_started' } as const
    const payload = { ...ids, ...change, timestamp: 7, sessionId }
    expect(push({ type: 'turn_state', ...change })).toEqual([
      ['turn.state_changed', payload],
      ['turn.step_started', payload],
    ])
    const idle = push({ type: 'turn_state', oldState: 'turn_finished', newState: 'idle' })
    expect(idle.map(([name]) => name)).toEqual(['turn.state_changed'])
  })

  test('tool_started, with the arguments of the call if the start has none', () => {
    const call = { toolCallId: 'c', toolName: 'bash' }
    const started = { eventType: 'tool_started', ...call, sessionId }
    const called = { type: 'tool_call', ...call, input: { command: 'ls' } } as const
    const start = { type: 'tool_execution_start', ...call } as const
    expect(push(called, start)).toEqual([['tool_started', { ...started, args: { command: 'ls' } }]])
    expect(push(called, { ...start, args: { command: 'pwd' } })).toEqual([
      ['tool_started', { ...started, args: { command: 'pwd' } }],
    ])
    expect(push({ ...called, input: 'ls' }, start)).toEqual([['tool_started', started]])
  })

  test('tool_completed, which has failed if it was interrupted', () => {
    const end = { type: 'tool_execution_end', toolCallId: 'c', toolName: 'bash' } as const
    const completed = { eventType: 'tool_completed', toolCallId: 'c', toolName: 'bash', sessionId }
    expect(push({ ...end, interrupted: true })).toEqual([
      ['tool_completed', { ...completed, isError: true, result: null, interrupted: true }],
    ])
    expect(push({ ...end, result: 'ok', exitCode: 0 })).toEqual([
      ['tool_completed', { ...completed, isError: false, result: 'ok', exitCode: 0 }],
    ])
  })

  test('messages with a reference to a blob, which match their schemas', () => {
    const call = { toolCallId: 't', toolName: 'write' }
    const blob = { hash: 'a'.repeat(64), size: 1_000_000 }
    const input = { content: 'beginning' }
    const messages = push(
      { type: 'tool_call', ...call, input, blob },
      { type: 'tool_execution_start', ...call },
      { type: 'tool_call', ...call, input, blob },
      { type: 'tool_execution_start', ...call, args: {} },
      { type: 'tool_execution_end', ...call, result: 'beginning', blob },
    )
    const checked = messages.map(([name, payload]) =>
      piSdkSchemas[z.enum(['tool_started', 'tool_completed']).parse(name)].payload.parse(payload),
    )
    expect(checked).toMatchObject([
      { args: input, blob },
      { args: {} },
      { result: 'beginning', blob },
    ])
    expect(checked[1]).not.toHaveProperty('blob')
  })

  test('agent_complete, after an error if the run failed', () => {
    const end = { type: 'agent_end', stopReason: 'error', errorMessage: 'overloaded' } as const
    expect(push(end)).toEqual([
      ['error', { eventType: 'error', error: { message: 'overloaded' }, sessionId }],
      [
        'agent_complete',
        {
          eventType: 'agent_complete',
          messages: [],
          stopReason: 'error',
          errorMessage: 'overloaded',
          sessionId,
        },
      ],
    ])
  })

  test('agent_complete, with the messages of its run that were not withdrawn', () => {
    const content = [...textMessage('kept').content, ...textMessage('void').content]
    const messages = push(
      { type: 'agent_start' },
      { type: 'message_end', messageId: 'm1', message: textMessage('first run') },
      { type: 'agent_end' },
      { type: 'agent_start' },
      { type: 'message_end', messageId: 'm2', message: { role: 'assistant', content } },
      { type: 'message_withdrawn', messageId: 'm2', reason: 'abandoned', fromContentIndex: 1 },
      { type: 'agent_end' },
    )
    expect(messages.at(-1)).toEqual([
      'agent_complete',
      { eventType: 'agent_complete', messages: [textMessage('kept')], text: 'kept', sessionId },
    ])
  })

  test('error, with all fields of the event', () => {
    const error = { code: 'agent_exit', message: 'killed', fatal: true } as const
    expect(push({ type: 'error', ...error })).toEqual([
      ['error', { eventType: 'error', error, sessionId }],
    ])
  })

  test('flow messages with their content', () => {
    const queued = { steering: ['left'], followUp: [] }
    const retry = { attempt: 1, delayMs: 2, reason: 'overloaded' }
    const summary = { summary: 'short', tokensBefore: 9 }
    expect(
      push(
        { type: 'queue_update', queued },
        { type: 'auto_retry_start', ...retry },
        { type: 'auto_retry_end', success: true },
        { type: 'compaction_start', reason: 'manual' },
        { type: 'compaction_end', ...summary },
      ),
    ).toEqual([
      ['queue_update', { eventType: 'queue_update', ...queued, sessionId }],
      ['auto_retry_started', { eventType: 'auto_retry_started', ...retry, sessionId }],
      ['auto_retry_ended', { eventType: 'auto_retry_ended', success: true, sessionId }],
      ['compaction_started', { eventType: 'compaction_started', reason: 'manual', sessionId }],
      ['compaction_ended', { eventType: 'compaction_ended', ...summary, sessionId }],
    ])
  })

  test('sdk.event for a line of the agent, with or without a type', () => {
    const { native } = createProjection(pi, ids)
    const foreign = { type: 'weather', sessionId: 12, sky: 'clear' }
    expect([foreign, ['?'], null].map((line) => native(line, sessionId))).toEqual(
      [
        { type: 'weather', sky: 'clear', sessionId },
        { type: 'raw', line: ['?'], sessionId },
        { type: 'raw', line: null, sessionId },
      ].map((payload) => ({ subject: `${pi}.sdk.event`, payload })),
    )
    // The line itself was published when it arrived.
    expect(push({ type: 'raw', agent: 'pi', line: foreign })).toEqual([])
  })
})
