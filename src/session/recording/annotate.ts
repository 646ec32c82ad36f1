import type { AgentEvent } from '../../events/types.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { usageUpdate } from '../../ledger/usage-update.ts'
import { createTurnTracker } from '../../turns/turns.ts'
import { isDelta } from './joiner.ts'

/** Puts behind an agent’s events what follows from them: the account, and the state of the turn. */
export const createAnnotator = (ledger: Ledger) => {
  const turns = createTurnTracker()

  const turnOf = (event: AgentEvent): AgentEvent[] => {
    const { events, violation } = turns.push(event)
    return violation === undefined ? events : [...events, outOfOrder(violation)]
  }

  return (events: readonly AgentEvent[]): AgentEvent[] => {
    const all: AgentEvent[] = []
    for (const event of events) {
      all.push(event)
      // By far the most frequent, and nothing follows from it.
      if (isDelta(event)) continue
      all.push(...turnOf(event))
      if (ledger.add(event)) all.push(usageUpdate(ledger))
    }
    return all
  }
}

const outOfOrder = (message: string): AgentEvent => ({
  type: 'error',
  code: 'out_of_order',
  message,
  fatal: false,
})
