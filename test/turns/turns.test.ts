import { describe, expect, test } from 'vitest'
import { agentEvent } from '../../src/events/event.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { advance, createTurns, turnStateEvents } from '../../src/turns/turns.ts'
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

/** The path that events lead along, and what was out of order. */
const walk = (...events: AgentEvent[]) => {
  const turns = createTurns()
  const path: string[] = [turns.state()]
  const violations: string[] = []
  for (const event of events) {
    const { transitions: moves, violation } = turns.push(event)
    for (const { oldState, newState, reason } of moves) {
      expect(oldState).toBe(path.at(-1)?.split(' ')[0])
      path.push(reason === undefined ? newState : `${newState} ${reason}`)
    }
    if (violation !== undefined) violations.push(violation)
  }
  expect(turns.state()).toBe(path.at(-1)?.split(' ')[0])
  return { path, violations }
}

test('a turn has its steps, and rests where it finished', () => {
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

test('the next run starts a new turn', () => {
  expect(walk(start, end('stop'), start, end('stop')).path).toEqual([
    'idle',
    'turn_started',
    'turn_finished stop',
    'turn_started',
    'turn_finished stop',
  ])
})

test.each<[string, AgentEvent[], string]>([
  ['an abort in a step', [start, open('a'), close('a', 'aborted'), end('aborted')], 'aborted'],
  ['an abort before any step', [start, end('aborted')], 'aborted'],
  ['a failure', [start, open('a'), close('a', 'error'), end('error')], 'error'],
  ['a death in mid-step', [start, open('a'), end('interrupted')], 'interrupted'],
  [
    'a death that only the flag tells',
    [start, { type: 'agent_end', interrupted: true }],
    'interrupted',
  ],
])('%s finishes the turn with its reason', (_, events, reason) => {
  const { path, violations } = walk(...events)
  expect(path.at(-1)).toBe(`turn_finished ${reason}`)
  expect(violations).toEqual([])
})

test('a retry stays within the turn', () => {
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

test('what a subagent or a person says is no step', () => {
  const inner = { parentToolCallId: 't' }
  const user: AgentEvent = { type: 'message_start', messageRole: 'user', messageId: 'u' }
  const said: AgentEvent = {
    type: 'message_end',
    messageId: 'u',
    message: { role: 'user', content: [] },
  }
  const events = [start, user, said, open('a'), open('s', inner), close('s', 'stop', inner)]
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
    'an end of no step',
    [start, close('a', 'stop')],
    'message_end is out of order in the state turn_started',
  ],
  [
    'a step that ends after its turn',
    [start, open('a'), end('aborted'), close('a', 'aborted')],
    'message_end is out of order in the state turn_finished',
  ],
])('%s is reported and not taken', (_, events, violation) => {
  const before = walk(...events.slice(0, -1))
  const after = walk(...events)
  expect(after.path).toEqual(before.path)
  expect(after.violations).toEqual([...before.violations, violation])
})

test('a state that is already known can be taken up', () => {
  expect(createTurns('turn_finished').push(start).transitions).toEqual([
    { oldState: 'turn_finished', newState: 'turn_started' },
  ])
  expect(advance('turn_finished', start)).toBe('turn_started')
  expect(advance('turn_started', start)).toBe('turn_started')
})

test('moves become events of the stream', () => {
  const events = turnStateEvents(createTurns().push(start).transitions)
  expect(events).toEqual([{ type: 'turn_state', oldState: 'idle', newState: 'turn_started' }])
  for (const event of events) expect(agentEvent.safeParse(event).success).toBe(true)
})

describe.each(recordings.map((each) => [each.name, each] as const))('%s', (_, { agent, bytes }) => {
  const events = decodeChunks(agent, [bytes()])
  const { path, violations } = walk(...events)

  test('keeps to the table', () => {
    expect(violations).toEqual([])
  })

  test('has a turn for each run, a step for each message of the model', () => {
    const count = (isMeant: (event: AgentEvent) => boolean) => events.filter(isMeant).length
    const visits = (state: string) => path.filter((each) => each.split(' ')[0] === state).length
    const isRun = (event: AgentEvent) => event.type === 'agent_end'
    const isStep = (event: AgentEvent) =>
      event.type === 'message_end' &&
      event.message.role === 'assistant' &&
      event.parentToolCallId === undefined
    expect(visits('turn_finished')).toBe(count(isRun))
    expect(visits('step_finished')).toBe(count(isStep))
  })
})
