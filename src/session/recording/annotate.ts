import type { AgentEvent } from '../../events/types.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { usageUpdate } from '../../ledger/usage-update.ts'
import { createTurnTracker, type TurnTracker, withTurnStates } from '../../turns/turns.ts'
import { isDelta } from './recorder.ts'

/**
 * Adds to each event of an agent what follows from it: the turn’s state, the usage and its computed cost.
 * The end of a run is the last event of the run, so they come before it.
 */
export type Annotate = (events: readonly AgentEvent[]) => AgentEvent[]

export const createAnnotator = (
  ledger: Ledger,
  turns: TurnTracker = createTurnTracker(),
): Annotate => {
  const following = (event: AgentEvent): AgentEvent[] => {
    const { events, violation } = turns.push(event)
    const errors = violation === undefined ? [] : [outOfOrder(violation)]
    const usage = ledger.add(event) ? [usageUpdate(ledger)] : []
    return [...events, ...errors, ...usage]
  }

  return (events) =>
    // Deltas are by far the most frequent events, and nothing follows from them.
    events.flatMap((event) => {
      if (isDelta(event)) return event
      const priced = ledger.price(event)
      return withTurnStates(priced, following(priced))
    })
}

const outOfOrder = (message: string): AgentEvent => ({
  type: 'error',
  code: 'out_of_order',
  message,
  fatal: false,
})
