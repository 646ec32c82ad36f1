import { finishesWithin } from '../../shared/finishes-within.ts'
import type { Log } from '../log.ts'
import type { SharedLog } from '../shared-log.ts'
import type { OwnedEventStore } from './events.ts'
import type { RecordWatch } from './record-watch.ts'
import type { OwnedSpending } from './spending.ts'

export interface HandoverParts {
  watch: Pick<RecordWatch, 'synced'>
  outage: Pick<Log, 'status'>
  events: Pick<OwnedEventStore, 'forget' | 'leave'>
  spending: Pick<OwnedSpending, 'forget' | 'leave'>
}

/** How a session is handed over to another node. */
export const createHandover = ({
  watch,
  outage,
  events,
  spending,
}: HandoverParts): Pick<SharedLog, 'arrive' | 'leave'> => ({
  async arrive(sessionId) {
    // This node may have had the session before, and not have left it: NATS was away then.
    events.forget(sessionId)
    spending.forget(sessionId)
    await watch.synced()
  },
  async leave(sessionId) {
    // While the cluster is away, the journal has the rest.
    if (outage.status().state !== 'ok') return
    if (await finishesWithin(events.leave(sessionId), leaveMs)) await spending.leave(sessionId)
  },
})

/** How long the last events of a session may take when another node is to own it. */
const leaveMs = 2000
