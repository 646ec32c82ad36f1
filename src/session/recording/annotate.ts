import type { AgentEvent } from '../../events/types.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { usageUpdate } from '../../ledger/usage-update.ts'
import { createTurnTracker } from '../../turns/turns.ts'
import { isDelta } from './recorder.ts'

/** Adds after each event of an agent what follows from it: the turn’s state and the usage. */
export type Annotate = (events: readonly AgentEvent[]) => AgentEvent[]

export const createAnnotator = (ledger: Ledger): Annotate => {
  const turns = createTurnTracker()

  const turnEvents = (event: AgentEvent): AgentEvent[] => {
    const { events, violation } = turns.push(event)
    return violation === undefined ? events : [...events, outOfOrder(violation)]
  }

  return (events) => {
    const annotated: AgentEvent[] = []
    for (const event of events) {
      annotated.push(event)
      // By far the most frequent events, and nothing follows from them.
      if (isDelta(event)) continue
      annotated.push(...turnEvents(event))
      if (ledger.add(event)) annotated.push(usageUpdate(ledger))
    }
    return annotated
  }
}

const outOfOrder = (message: string): AgentEvent => ({
  type: 'error',
  code: 'out_of_order',
  message,
  fatal: false,
})
