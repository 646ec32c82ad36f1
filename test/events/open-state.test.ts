import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CloseReason, createOpenState } from '../../src/events/open-state.ts'
import { checkOrder } from '../../src/events/order.ts'
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
