import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CloseReason, createOpenState } from '../../src/events/open-state.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

const reasons: CloseReason[] = ['aborted', 'error', 'interrupted']
const some = recordings.filter((_, index) => index % 7 === 0)

test.each(some.map((each) => [each.name, each] as const))(
  '%s: cut after any event, it is closed in a valid order',
  (_, { agent, bytes }) => {
    const events = decodeChunks(agent, [bytes()])
    fc.assert(
      fc.property(fc.nat(events.length), fc.constantFrom(...reasons), (length, reason) => {
        const open = createOpenState()
        const before = events.slice(0, length)
        for (const event of before) open.push(event)
        const closing = open.close({ reason, errorMessage: 'The server was gone.' })
        expect(checkOrder([...before, ...closing])).toEqual([])
        expect(open.close({ reason })).toEqual([])
      }),
      { numRuns: 15 },
    )
  },
)

test.each(recordings.map((each) => [each.name, each] as const))(
  '%s: nothing is open after the end of a run',
  (_, { agent, bytes }) => {
    const open = createOpenState()
    let hasBackground = false
    for (const event of decodeChunks(agent, [bytes()])) {
      // Recordings of the agent’s output do not contain the answers to approvals.
      if (event.type !== 'approval_request') open.push(event)
      // What works in the background stays open.
      const inBackground = event.type === 'session_update' && event.backgroundTasks
      if (inBackground) hasBackground = inBackground.length > 0
      if (event.type === 'agent_end' && !hasBackground)
        expect(open.close({ reason: 'interrupted' })).toEqual([])
    }
  },
)

test.each(recordings.map((each) => [each.name, each] as const))(
  '%s: every call has its result, also one that was cut short',
  (_, { agent, bytes }) => {
    const events = decodeChunks(agent, [bytes()])
    const called = events.flatMap((each) => (each.type === 'tool_call' ? [each.toolCallId] : []))
    const returned = events.flatMap((each) =>
      each.type === 'tool_result' ? [each.message.toolCallId] : [],
    )
    expect(called.filter((id) => !returned.includes(id))).toEqual([])
  },
)

const tool = { toolCallId: 't', toolName: 'bash' }
const call: AgentEvent = { type: 'tool_call', ...tool, input: { command: 'ls' } }
const begin: AgentEvent = { type: 'tool_execution_start', ...tool, args: { command: 'ls' } }

const closingOf = (events: readonly AgentEvent[], reason: CloseReason = 'interrupted') => {
  const open = createOpenState()
  for (const event of events) open.push(event)
  const closing = open.close({ reason })
  expect(checkOrder([...events, ...closing])).toEqual([])
  return closing
}

test.each(reasons)('a call that never returned has an end and a result: %s', (reason) => {
  const said = {
    content: [{ type: 'text', text: 'Interrupted: the call returned no result.' }],
    isError: true,
  }
  const cut = [
    { type: 'tool_execution_end', ...tool, interrupted: true },
    { type: 'tool_result', message: { role: 'toolResult', ...tool, ...said, interrupted: true } },
  ]
  const called: AgentEvent[] = [{ type: 'agent_start' }, call]
  expect(closingOf(called, reason).slice(0, -1)).toEqual([begin, ...cut])
  expect(closingOf([...called, begin], reason).slice(0, -1)).toEqual(cut)
})

test('a call that ended has what it returned as its result', () => {
  const content = [{ type: 'text', text: 'a.txt' }]
  const result = { content: [...content, { type: 'thing' }], details: { lines: 1 } }
  const ended: AgentEvent = { type: 'tool_execution_end', ...tool, exitCode: 2, result }
  expect(closingOf([{ type: 'agent_start' }, call, begin, ended])[0]).toEqual({
    type: 'tool_result',
    message: { role: 'toolResult', ...tool, content, details: { lines: 1 }, isError: true },
  })
})

test('a log of an earlier version gets no results for the calls of runs that are over', () => {
  const open = createOpenState()
  const ended: AgentEvent = { type: 'tool_execution_end', ...tool, interrupted: true }
  for (const event of [call, begin, ended]) open.push(event)
  open.push({ type: 'agent_end' })
  expect(open.close({ reason: 'interrupted' })).toEqual([])
})

test('a subagent in the background ends after its calls, also between runs', () => {
  const inside = { parentToolCallId: 't' }
  const ended = { type: 'tool_execution_end', ...tool } as const
  const launched: AgentEvent = {
    type: 'tool_result',
    message: { role: 'toolResult', ...tool, content: [], isError: false },
  }
  const nested = { toolCallId: 'u', toolName: 'bash', ...inside }
  const closing = closingOf([
    { type: 'agent_start' },
    ...[call, begin],
    { type: 'subagent_start', toolCallId: 't' },
    ...[ended, launched],
    { type: 'agent_end' },
    { type: 'tool_call', ...nested, input: {} },
    { type: 'tool_execution_start', ...nested },
  ])
  expect(closing.map(({ type }) => type)).toEqual([
    'tool_execution_end',
    'tool_result',
    'subagent_end',
  ])
  expect(closing).toMatchObject([inside, inside, { toolCallId: 't' }])
})
