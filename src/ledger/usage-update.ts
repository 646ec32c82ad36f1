import type { AgentEvent, EventOf } from '../events/types.ts'
import type { Ledger } from './ledger.ts'

/** The current usage of a ledger as a `usage_update` event. */
export const usageUpdate = (ledger: Ledger): EventOf<'usage_update'> => ({
  type: 'usage_update',
  totals: ledger.totals(),
  byModel: ledger.byModel(),
  context: ledger.context(),
})

/** Adds events to a ledger, and inserts a `usage_update` after each event that changed it. */
export const insertUsageUpdates = (ledger: Ledger, events: readonly AgentEvent[]): AgentEvent[] =>
  events.flatMap((event) => (ledger.add(event) ? [event, usageUpdate(ledger)] : [event]))
