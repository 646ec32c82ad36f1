import { describe, expect, test } from 'vitest'
import { agentEvent } from '../../src/events/event.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { createTurnTracker, nextTurnState, withTurnStates } from '../../src/turns/turns.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

const start: AgentEvent = { type: 'agent_start' }
const end = (stopReason: string): AgentEvent => ({ type: 'agent_end', stopReason })
const open = (messageId: string, more: object = {}): AgentEvent => ({
  type: 'message_start',
  messageRole: 'assistant',
  messageId,
  ...more,
})
const close = (messageId: string, stopReason: string, more: object = {}): AgentEvent => ({
  type: 'message_end',
  messageId,
  message: { role: 'assistant', content: [], stopReason },
  ...more,
})

/** The states that events lead through, and the violations. */
const walk = (...events: AgentEvent[]) => {
  const turns = createTurnTracker()
  const path: string[] = [turns.state()]
  const violations: string[] = []
  for (const event of events) {
    const { events: changes, violation } = turns.push(event)
    for (const { oldState, newState, reason } of changes) {
      expect(oldState).toBe(path.at(-1)?.split(' ')[0])
      path.push(reason === undefined ? newState : `${newState} ${reason}`)
    }
    if (violation !== undefined) violations.push(violation)
  }
  expect(turns.state()).toBe(path.at(-1)?.split(' ')[0])
  return { path, violations }
}

test('a run goes through its steps to turn_finished', () => {
  const events = [start, open('a'), close('a', 'toolUse'), open('b'), close('b', 'stop')]
  expect(walk(...events, end('stop'))).toEqual({
    path: [
      'idle',
      'turn_started',
      'step_started',
      'step_finished toolUse',
      'step_started',
      'step_finished stop',
      'turn_finished stop',
    ],
    violations: [],
  })
})

test('a step is over when its tools are', () => {
  const call = { toolCallId: 't', toolName: 'bash' }
  const turns = createTurnTracker()
  const states = [
    start,
    open('a'),
    close('a', 'toolUse'),
    { type: 'tool_execution_end', ...call } as const,
    { type: 'turn_end' } as const,
  ].map((event) => {
    turns.push(event)
    return turns.state()
  })
  expect(states).toEqual([
    'turn_started',
    'step_started',
    'step_started',
    'step_started',
    'step_finished',
  ])
})

test('the changes come before the end of the run and after other events', () => {
  const states = createTurnTracker().push(start).events
  expect(withTurnStates(start, states)).toEqual([start, ...states])
  expect(withTurnStates(end('stop'), states)).toEqual([...states, end('stop')])
})

test('the next run starts again at turn_started', () => {
  expect(walk(start, end('stop'), start, end('stop')).path).toEqual([
    'idle',
    'turn_started',
    'turn_finished stop',
    'turn_started',
    'turn_finished stop',
  ])
})

test.each<[string, AgentEvent[], string]>([
  ['an abort inside a step', [start, open('a'), close('a', 'aborted'), end('aborted')], 'aborted'],
  ['an abort before any step', [start, end('aborted')], 'aborted'],
  ['a failure', [start, open('a'), close('a', 'error'), end('error')], 'error'],
  ['a death inside a step', [start, open('a'), end('interrupted')], 'interrupted'],
  [
    'a death that only the interrupted flag shows',
    [start, { type: 'agent_end', interrupted: true }],
    'interrupted',
  ],
])('%s finishes the turn with its stop reason', (_, events, reason) => {
  const { path, violations } = walk(...events)
  expect(path.at(-1)).toBe(`turn_finished ${reason}`)
  expect(violations).toEqual([])
})

test('a retry stays in the same turn', () => {
  const events: AgentEvent[] = [
    start,
    open('a'),
    close('a', 'error'),
    { type: 'message_withdrawn', messageId: 'a', reason: 'retried' },
    { type: 'auto_retry_start', attempt: 1, delayMs: 5, reason: 'overloaded' },
    open('b'),
    close('b', 'stop'),
    { type: 'auto_retry_end', success: true },
    end('stop'),
  ]
  expect(walk(...events)).toEqual({
    path: [
      'idle',
      'turn_started',
      'step_started',
      'step_finished error',
      'step_started',
      'step_finished stop',
      'turn_finished stop',
    ],
    violations: [],
  })
})

test('messages of a subagent or a person are not steps', () => {
  const inner = { parentToolCallId: 't' }
  const user: AgentEvent = { type: 'message_start', messageRole: 'user', messageId: 'u' }
  const prompt: AgentEvent = {
    type: 'message_end',
    messageId: 'u',
    message: { role: 'user', content: [] },
  }
  const events = [start, user, prompt, open('a'), open('s', inner), close('s', 'stop', inner)]
  expect(walk(...events)).toEqual({
    path: ['idle', 'turn_started', 'step_started'],
    violations: [],
  })
})

test.each<[string, AgentEvent[], string]>([
  ['a run inside a run', [start, start], 'agent_start is out of order in the state turn_started'],
  ['an end without a run', [end('stop')], 'agent_end is out of order in the state idle'],
  ['a step outside a turn', [open('a')], 'message_start is out of order in the state idle'],
  [
    'a step inside a step',
    [start, open('a'), open('b')],
    'message_start is out of order in the state step_started',
  ],
  [
    'a message that ends twice',
    [start, open('a'), close('a', 'stop'), close('a', 'stop')],
    'message_end is out of order in the state step_started',
  ],
  [
    'an end without a step',
    [start, close('a', 'stop')],
    'message_end is out of order in the state turn_started',
  ],
  [
    'a step that ends after its turn',
    [start, open('a'), end('aborted'), close('a', 'aborted')],
    'message_end is out of order in the state turn_finished',
  ],
])('%s is reported and changes nothing', (_, events, violation) => {
  const before = walk(...events.slice(0, -1))
  const after = walk(...events)
  expect(after.path).toEqual(before.path)
  expect(after.violations).toEqual([...before.violations, violation])
})

test('a tracker can start at a given state', () => {
  expect(createTurnTracker('turn_finished').push(start).events).toEqual([
    { type: 'turn_state', oldState: 'turn_finished', newState: 'turn_started' },
  ])
})

test('nextTurnState returns the same state if the event does not change it', () => {
  expect(nextTurnState('turn_finished', start)).toBe('turn_started')
  expect(nextTurnState('turn_started', start)).toBe('turn_started')
})

test('changes are valid events', () => {
  const { events } = createTurnTracker().push(start)
  expect(events).toEqual([{ type: 'turn_state', oldState: 'idle', newState: 'turn_started' }])
  for (const event of events) expect(agentEvent.safeParse(event).success).toBe(true)
})

test('a second message while a tool runs does not finish the step', () => {
  const tool = { toolCallId: 't', toolName: 'Bash' }
  const call: AgentEvent = { type: 'tool_call', ...tool, input: {} }
  const result: AgentEvent = {
    type: 'tool_result',
    message: { role: 'toolResult', ...tool, content: [], isError: false },
  }
  const lost = [open('b'), close('b', 'error')]
  const events = [start, open('a'), call, close('a', 'toolUse'), ...lost]
  expect(walk(...events).path.at(-1)).toBe('step_started')
  const after = walk(...events, result, { type: 'turn_end' })
  expect(after.path.slice(-2)).toEqual(['step_started', 'step_finished error'])
  expect(after.violations).toEqual([])
})

describe.each(recordings.map((each) => [each.name, each] as const))('%s', (_, { agent, bytes }) => {
  const events = decodeChunks(agent, [bytes()])
  const { path, violations } = walk(...events)

  test('has no violations', () => {
    expect(violations).toEqual([])
  })

  test('has one turn per run and one step per assistant message', () => {
    const count = (matches: (event: AgentEvent) => boolean) => events.filter(matches).length
    const visits = (state: string) => path.filter((each) => each.split(' ')[0] === state).length
    const isRun = (event: AgentEvent) => event.type === 'agent_end'
    const tools = new Set<string>()
    /** A message while tools still run, such as about a lost connection, belongs to their step. */
    const isStep = (event: AgentEvent) => {
      if (event.parentToolCallId !== undefined) return false
      if (event.type === 'tool_call') tools.add(event.toolCallId)
      if (event.type === 'tool_result') tools.delete(event.message.toolCallId)
      return event.type === 'message_start' && event.messageRole === 'assistant' && tools.size === 0
    }
    expect(visits('turn_finished')).toBe(count(isRun))
    expect(visits('step_finished')).toBe(count(isStep))
  })
})
