import { reasonOf } from '../../shared/reason.ts'
import { type LogHealth, type LogStatus, okStatus } from '../log-status.ts'
import type { Journal } from './journal.ts'
import type { NatsLink } from './nats-link.ts'
import { createReachability, type Reach } from './reachability.ts'

export interface OutageOptions {
  link: NatsLink
  journal: Journal
  /** Stores something small: only a leader with a quorum can. */
  probe(): Promise<unknown>
}

/** The status of a log in a cluster, which may be away. */
export interface Outage extends LogHealth {
  close(): void
}

/** Starts the journal when the cluster is away, and reports the status of the log. */
export const createOutage = ({ link, journal, probe }: OutageOptions): Outage => {
  const listeners = new Set<(status: LogStatus) => void>()
  let status = okStatus
  let reach: Reach = 'ok'

  const update = (): void => {
    const reason = outageReason(reach, { link, journal })
    if (reason === status.reason) return
    const since = status.since ?? Date.now()
    status = reason === undefined ? okStatus : { state: 'unreachable', reason, since }
    for (const listener of listeners) listener(status)
  }
  const reachability = createReachability({
    ...{ link, probe, isDrained: journal.isDrained },
    onChange(next) {
      reach = next
      journal.setRecording(next === 'disconnected' || next === 'silent')
      update()
    },
  })
  const unsubscribe = journal.onProblem(update)

  return {
    status: () => status,
    async checkStatus() {
      await reachability.check()
      return status
    },
    onStatus(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      reachability.close()
      unsubscribe()
    },
  }
}

/** What is wrong, for people; undefined when nothing is. */
const outageReason = (
  reach: Reach,
  { link, journal }: Pick<OutageOptions, 'link' | 'journal'>,
): string | undefined => {
  if (reach === 'ok') return undefined
  if (reach === 'returning') return 'NATS is back. The events of the meantime are being stored.'
  const lost = link.isRefused()
    ? 'The NATS servers refuse the login of this node.'
    : 'There is no connection to NATS.'
  const what =
    reach === 'disconnected'
      ? lost
      : 'NATS does not answer, or not enough of its servers are running.'
  return `${what} ${agentsOf(journal)} New work is refused until NATS is back.`
}

const agentsOf = (journal: Pick<Journal, 'problem'>): string => {
  const problem = journal.problem()
  if (!problem)
    return 'Agents go on working, and their events are kept in a journal on this machine.'
  if (problem.kind === 'limit') return 'Agents wait, because the journal on this machine is full.'
  return `Agents wait, because the journal on this machine cannot be written: ${reasonOf(problem.cause)}.`
}
