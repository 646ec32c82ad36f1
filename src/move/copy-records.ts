import { isDeepStrictEqual } from 'node:util'
import type { Log, RecordStore } from '../log/log.ts'
import { auditEntries } from './audit-entries.ts'
import type { MoveOptions } from './move-log.ts'
import { markId } from './move-mark.ts'

/** Copies what belongs to no session. Lists keep their order, because records are added in that order. */
export const copyRecords = async ({ from, to, onProgress }: MoveOptions): Promise<void> => {
  onProgress?.({ step: 'records', done: 0, sessions: 0 })
  // Before the sessions: a session can have the id of one that was removed.
  await to.moved.putRemovedSpending(await from.moved.removedSpending())
  for (const usage of await from.ledger.deletedUsage()) await to.moved.putDeletedUsage(usage)
  await copyProjects(from, to)
  await copyKeys(from, to)
  await copyAudit(from, to)
  await copyStore(from.browsers, to.browsers)
  await copyStore(from.passkeys, to.passkeys)
  await copyStore(from.settings, to.settings)
  await copyStore(from.trust, to.trust)
  await copyStore(from.loops, to.loops)
  await copyStore(from.budgets, to.budgets)
}

const copyStore = async <Record extends { id: string }>(
  from: RecordStore<Record>,
  to: RecordStore<Record>,
): Promise<void> => {
  const stored = new Map((await to.list()).map((record) => [record.id, record]))
  for (const record of await from.list())
    if (record.id !== markId && !isDeepStrictEqual(stored.get(record.id), record))
      await to.put(record)
}

const copyProjects = async (from: Log, to: Log): Promise<void> => {
  for (const project of await from.projects.list())
    if (!(await to.projects.get(project.id))) await to.projects.create(project)
}

const copyKeys = async (from: Log, to: Log): Promise<void> => {
  for (const key of await from.keys.list())
    if (!(await to.keys.get(key.id))) await to.keys.create(key)
}

/** The audit only grows, so what the target has of it is its beginning. */
const copyAudit = async (from: Log, to: Log): Promise<void> => {
  const last = (await to.audit.list({ limit: 1 }))[0]?.id ?? 0
  for await (const entry of auditEntries(from)) if (entry.id > last) await to.audit.put(entry)
}
