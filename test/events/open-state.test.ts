import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CloseReason, createOpenState } from '../../src/events/open-state.ts'
import { checkOrder } from '../../src/events/order.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

const cuts: CloseReason[] = ['aborted', 'error', 'interrupted']
const some = recordings.filter((_, index) => index % 7 === 0)

test.each(some.map((each) => [each.name, each] as const))(
  '%s: cut anywhere in its events, it is closed in the promised order',
  (_, { agent, bytes }) => {
    const events = decodeChunks(agent, [bytes()])
    fc.assert(
      fc.property(fc.nat(events.length), fc.constantFrom(...cuts), (length, cut) => {
        const open = createOpenState()
        const kept = events.slice(0, length)
        for (const event of kept) open.push(event)
        const closing = open.close({ reason: cut, errorMessage: 'The server was gone.' })
        expect(checkOrder([...kept, ...closing])).toEqual([])
        expect(open.close({ reason: cut })).toEqual([])
      }),
      { numRuns: 15 },
    )
  },
)

test.each(recordings.map((each) => [each.name, each] as const))(
  '%s: nothing is open where a run has ended',
  (_, { agent, bytes }) => {
    const open = createOpenState()
    for (const event of decodeChunks(agent, [bytes()])) {
      // Who answered a question, a recording of the agent’s side does not say.
      if (event.type !== 'approval_request') open.push(event)
      if (event.type === 'agent_end') expect(open.close({ reason: 'interrupted' })).toEqual([])
    }
  },
)
