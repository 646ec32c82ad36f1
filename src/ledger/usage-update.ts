import type { AgentEvent, EventOf } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
import type { Ledger } from './ledger.ts'

/** The current usage of a ledger as a `usage_update` event. */
export const usageUpdate = (ledger: Ledger): EventOf<'usage_update'> => ({
  type: 'usage_update',
  totals: ledger.totals(),
  byModel: ledger.byModel(),
  context: ledger.context(),
  ...defined({ priceList: ledger.priceList() }),
})

/**
 * Adds events to a ledger, and inserts a `usage_update` after each event that changed it. Events get
 * the costs that the ledger computes for them.
 */
export const insertUsageUpdates = (ledger: Ledger, events: readonly AgentEvent[]): AgentEvent[] =>
  events.flatMap((event) => {
    const priced = ledger.price(event)
    return ledger.add(priced) ? [priced, usageUpdate(ledger)] : [priced]
  })
