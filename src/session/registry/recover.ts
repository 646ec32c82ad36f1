import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { killOrphan } from '../../process/orphans.ts'
import { killTagged, sessionVariable } from '../../process/process-tags.ts'
import { reachOf } from '../recording/account.ts'
import {
  type CloseInterruptedOptions,
  type InterruptReason,
  readAndClose,
} from './close-interrupted.ts'

/**
 * What a server that died left behind: agents that still run are ended, with what they started; open
 * runs are closed with an error, requests that waited are expired or without an agent.
 */
export const recover = async (options: CloseInterruptedOptions): Promise<void> => {
  const { log, now } = options
  const records = await allRecords(log)
  for (const { pid, pidStartedAt } of records)
    if (pid !== undefined && pidStartedAt !== undefined) killOrphan(pid, pidStartedAt)
  if (records.length > 0) killTagged(sessionVariable, new Set(records.map(({ id }) => id)))

  const waiting = await log.approvals.list({ status: 'pending' })
  const asked = new Set(waiting.map(({ sessionId }) => sessionId))
  for (const record of records)
    if (asked.has(record.id) || (await mayBeOpen(record, log))) await settleLog(record, options)
  for (const request of await log.approvals.list({ status: 'pending' })) {
    const status = request.deadline <= now() ? 'expired' : 'agent_gone'
    await log.approvals.put({ ...request, status, action: 'deny', resolvedAt: now() })
  }
}

/** Closes what the log of a session has left open; its record says so. */
export const settleLog = async (
  record: SessionRecord,
  options: CloseInterruptedOptions,
  why?: InterruptReason,
): Promise<void> => {
  const { log, now } = options
  // The account is kept where no run is open: what came before needs no closing.
  const from = (await reachOf(log, record.id))?.seq ?? 0
  for await (const _ of readAndClose(record, from, options, why));
  if (!isAtWork(record)) return
  const rest = { state: 'idle', pid: null, pidStartedAt: null } as const
  await log.sessions.update(record.id, { ...rest, updatedAt: now() })
}

/** The record is only a help: one that says nothing of an agent may be older than the events. */
const mayBeOpen = async (record: SessionRecord, log: Log): Promise<boolean> => {
  if (isAtWork(record)) return true
  const reach = await reachOf(log, record.id)
  return (await log.head(record.id)) > (reach?.seq ?? 0)
}

const isAtWork = ({ state, pid }: SessionRecord): boolean =>
  state === 'running' || pid !== undefined

const allRecords = async (log: Log): Promise<SessionRecord[]> => {
  const records: SessionRecord[] = []
  let page: SessionRecord[]
  do {
    page = await log.sessions.list({ includeRemoved: true, before: records.at(-1), limit: 500 })
    records.push(...page)
  } while (page.length > 0)
  return records
}
