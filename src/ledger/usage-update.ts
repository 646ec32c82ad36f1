import type { AgentEvent, EventOf } from '../events/types.ts'
import type { Ledger } from './ledger.ts'

/** The account as an event, after an event that changed it. */
export const usageUpdate = (ledger: Ledger): EventOf<'usage_update'> => ({
  type: 'usage_update',
  totals: ledger.totals(),
  byModel: ledger.byModel(),
  context: ledger.context(),
})

/** Puts a `usage_update` behind every event that changed the account. */
export const insertUsageUpdates = (ledger: Ledger, events: readonly AgentEvent[]): AgentEvent[] =>
  events.flatMap((event) => (ledger.add(event) ? [event, usageUpdate(ledger)] : [event]))
