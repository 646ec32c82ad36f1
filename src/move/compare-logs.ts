import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SpendingSums } from '../events/types.ts'
import { allSessions } from '../log/all-sessions.ts'
import { blobRefOf } from '../log/blobs/blob-ref.ts'
import type { Log } from '../log/log.ts'
import { auditEntries } from './audit-entries.ts'
import { failed } from './move-fault.ts'
import type { MoveOptions } from './move-log.ts'
import { markId } from './move-mark.ts'
import { type MovedCounts, noCounts } from './moved-counts.ts'
import { recordStores } from './record-stores.ts'

/**
 * Reads both logs from the beginning, and compares everything: each event by its bytes, each blob by its
 * hash, each record by its fields. Throws a `move_failed` fault that names the first difference.
 */
export const compareLogs = async ({ from, to, onProgress }: MoveOptions): Promise<MovedCounts> => {
  const counts = noCounts()
  for (const { id } of await allSessions(from)) await from.moved.completeSums(id)
  await compareRecords(from, to, counts)
  const [records, copies] = [await allSessions(from), await allSessions(to)]
  requireEqual('the list of sessions', records, copies)
  for (const [index, { id }] of records.entries()) {
    onProgress?.({ step: 'compare', done: index, sessions: records.length })
    await compareSession(id, from, to, counts)
  }
  counts.sessions = records.length
  return counts
}

const compareRecords = async (from: Log, to: Log, counts: MovedCounts): Promise<void> => {
  const list = async (name: string, read: (log: Log) => Promise<readonly unknown[]>) => {
    const [records, copies] = [await read(from), await read(to)]
    requireEqual(`the ${name}`, records, copies)
    counts.records += records.length
  }
  await list('projects', (log) => log.projects.list())
  await list('keys', (log) => log.keys.list())
  for (const name of recordStores)
    await list(name, async (log) => (await log[name].list()).filter(({ id }) => id !== markId))
  const usage = async (log: Log) => (await log.ledger.deletedUsage()).sort(byProject)
  requireEqual('the usage of deleted sessions', await usage(from), await usage(to))
  await compareSpending(from, to)
  const copies = auditEntries(to)
  for await (const entry of auditEntries(from)) {
    requireEqual('the audit', entry, (await copies.next()).value)
    counts.auditEntries += 1
  }
  if (!(await copies.next()).done) throw failed('The target has more entries of the audit.')
}

const byProject = (left: { projectId?: string }, right: { projectId?: string }): number =>
  (left.projectId ?? '') < (right.projectId ?? '') ? -1 : 1

/** The sums are added up again from the events, in another order: the last bits of fractions may differ. */
const compareSpending = async (from: Log, to: Log): Promise<void> => {
  const by = ['step', 'session', 'agent', 'model'] as const
  const rounded = async (log: Log) =>
    (await log.spending.list({ by })).map(({ sums, ...row }) => ({ ...row, ...roundedSums(sums) }))
  requireEqual('the sums of cost', await rounded(from), await rounded(to))
}

const roundedSums = ({ costBy, costUsd, ...sums }: SpendingSums) => {
  const round = (value: number | null): string => (value === null ? 'none' : value.toFixed(9))
  return { ...sums, costUsd: round(costUsd), costBy: Object.values(costBy).map(round) }
}

const compareSession = async (
  id: string,
  from: Log,
  to: Log,
  counts: MovedCounts,
): Promise<void> => {
  const both = async <Value>(what: string, read: (log: Log) => Promise<Value>): Promise<Value> => {
    const [value, copy] = await Promise.all([read(from), read(to)])
    requireEqual(`${what} of session ${id}`, value, copy)
    return value
  }
  counts.events += (await both('the events', (log) => fingerprint(log, id))).events
  const hashes = await both('the blobs', async (log) => (await log.moved.blobsOf(id)).sort())
  for (const hash of hashes) await compareBlob(hash, from, to)
  counts.blobs += hashes.length
  counts.approvals += (
    await both('the approvals', (log) => log.approvals.list({ sessionId: id }))
  ).length
  counts.commands += (await both('the messages', (log) => log.commands.list(id))).length
  counts.commands += (await both('the receipts', (log) => log.moved.receipts(id))).length
  counts.ledgerRows += (await both('the ledger', (log) => log.ledger.list(id))).length
  await both('the checkpoint of the ledger', (log) => log.ledger.checkpoint(id))
  if (await both('the snapshot', (log) => log.snapshots.get(id))) counts.snapshots += 1
}

/** The number of the events of a session, and a hash of all their bytes. */
const fingerprint = async (log: Log, id: string): Promise<{ events: number; hash: string }> => {
  const hash = createHash('sha256')
  let events = 0
  for await (const { first, texts } of log.readText(id, 0)) {
    if (first !== events + 1) throw failed(`Event ${events + 1} of session ${id} is missing.`)
    hash.update(`${texts.join('\n')}\n`)
    events += texts.length
  }
  return { events, hash: hash.digest('hex') }
}

const compareBlob = async (hash: string, from: Log, to: Log): Promise<void> => {
  const [blob, copy] = await Promise.all([from.blobs.get(hash), to.blobs.get(hash)])
  const isEqual = copy && blobRefOf(copy.bytes).hash === hash && copy.mimeType === blob?.mimeType
  if (!isEqual) throw failed(`The copy of blob ${hash} differs.`)
}

const requireEqual = (what: string, value: unknown, copy: unknown): void => {
  if (isDeepStrictEqual(value, copy)) return
  const sizes =
    Array.isArray(value) && Array.isArray(copy) && value.length !== copy.length
      ? ` (${value.length} and ${copy.length})`
      : ''
  throw failed(`The two logs differ in ${what}${sizes}. Did a server change one of them meanwhile?`)
}
