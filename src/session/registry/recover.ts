import { allSessions } from '../../log/all-sessions.ts'
import type { InterruptReason } from '../../log/interrupt-reason.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { killOrphans } from '../../process/orphans.ts'
import { lastCheckpoint } from '../recording/ledger-checkpoints.ts'
import { type CloseInterruptedDeps, closeInterrupted, isMarkedActive } from './close-interrupted.ts'
import type { Ownership } from './ownership.ts'

export interface RecoverDeps extends CloseInterruptedDeps {
  /** Present when several nodes share the log: only what was on this one is recovered. */
  ownership?: Ownership | undefined
  data?: string
  /** By which the processes of an earlier server on the data directory are found. */
  markKey?: number
}

/**
 * Cleans up after a server that crashed: kills agents that still run, with everything that they
 * started; closes open runs with an error; resolves the approval requests that were open.
 */
export const recover = async (deps: RecoverDeps, reason?: InterruptReason): Promise<void> => {
  const { log, now, data, markKey, ownership } = deps
  const all = await allSessions(log)
  const records = ownership ? all.filter(({ id }) => ownership.wasHere(id)) : all
  const ids = new Set(records.map(({ id }) => id))
  await killOrphans({
    markKey: data === undefined ? undefined : markKey,
    agents: agentsIn(records),
  })

  const pending = await log.approvals.list({ status: 'pending' })
  const withPending = new Set([
    ...pending.map(({ sessionId }) => sessionId),
    ...(await log.commands.openSessions()),
  ])
  // What goes wrong with one session concerns no other.
  for (const record of records)
    await closeOne(record, withPending.has(record.id), deps, reason).catch(deps.onError)
  // Questions of agents in terminals are closed by the desk of the hooks, with an event.
  const watched = new Set(records.flatMap(({ id, watched }) => (watched ? [id] : [])))
  const isOver = ({ sessionId }: { sessionId: string }): boolean =>
    ownership ? ids.has(sessionId) && !ownership.isElsewhere(sessionId) : !watched.has(sessionId)
  const left = await log.approvals.list({ status: 'pending' })
  for (const request of left.filter(isOver)) {
    const { deadline = Number.POSITIVE_INFINITY } = request
    const status = deadline <= now() ? 'expired' : 'agent_gone'
    await log.approvals
      .put({ ...request, status, action: 'deny', resolvedAt: now() })
      .catch(deps.onError)
  }
}

/** The agents that ran according to the records. */
const agentsIn = (records: readonly SessionRecord[]): Map<number, number> =>
  new Map(
    records.flatMap(({ pid, pidStartedAt }) =>
      pid === undefined || pidStartedAt === undefined ? [] : [[pid, pidStartedAt]],
    ),
  )

const closeOne = async (
  record: SessionRecord,
  hasPending: boolean,
  deps: RecoverDeps,
  reason: InterruptReason | undefined,
): Promise<void> => {
  // Nobody works in an imported session, and of a watched one, only its agent knows what is open.
  if (record.imported || record.watched) return
  if (!hasPending && !(await mayBeOpen(record, deps.log))) return
  const { ownership } = deps
  // Another node may have taken it over meanwhile.
  if (ownership?.isElsewhere(record.id)) return
  await ownership?.claim(record.id)
  try {
    await closeInterrupted(record, deps, reason)
  } finally {
    await ownership?.release(record.id)
  }
}

/** The record alone is not enough: it may be older than the last events. */
const mayBeOpen = async (record: SessionRecord, log: Log): Promise<boolean> => {
  if (isMarkedActive(record)) return true
  const checkpoint = await lastCheckpoint(log, record.id)
  return (await log.head(record.id)) > (checkpoint?.seq ?? 0)
}
