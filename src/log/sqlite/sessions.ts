import type { SessionStore } from '../log.ts'
import { sessionExists, unknownSession } from '../log-fault.ts'
import type { SessionRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, numberColumn, prepareStatement } from './database.ts'
import { createDeletedUsage } from './deleted-usage.ts'
import type { Purge } from './purge.ts'
import type { Reclaimer } from './reclaim.ts'
import { createSessionQueries, creatorColumn } from './session-queries.ts'
import type { SpendingTable } from './spending.ts'
import { withChecksum } from './stored-text.ts'

const columns = 'project, agent, state, created_at, removed_at, record, checksum'

/** What the removal of a session needs. */
export interface SessionStoreParts {
  purge: Purge
  reclaimer: Pick<Reclaimer, 'start'>
  spending: Pick<SpendingTable, 'fill'>
}

/** The sessions table. */
export const createSessionStore = (
  context: SqliteContext,
  { purge, reclaimer, spending }: SessionStoreParts,
): SessionStore => {
  const { database, writes, serializer, sessionRows, damages, ensureOpen } = context
  const insert = prepareStatement(
    database,
    `INSERT INTO sessions (id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = prepareStatement(
    database,
    `UPDATE sessions SET (${columns}) = (?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
  )
  const count = prepareStatement(
    database,
    `SELECT count(*) FROM sessions WHERE removed_at IS NULL AND ${creatorColumn} = ?`,
  )
  const { find, list } = createSessionQueries(database, damages)
  const selectProject = prepareStatement(database, 'SELECT project FROM sessions WHERE id = ?')
  const deletedUsage = createDeletedUsage(context)

  return {
    async create(record) {
      const { id } = record
      const indexed = indexedColumns(record)
      const { json } = serializer.prepare('session', record)
      await writes.addRecord(() => {
        const text = json()
        if (find(id)) throw sessionExists(id)
        insert.run(id, ...indexed, ...withChecksum(text))
      })
    },
    update: (id, patch) =>
      writes.addRecord(() => {
        const stored = find(id)
        if (!stored) throw unknownSession(id)
        // What is damaged is not a part of the record: see `session-damages.ts`.
        const { damage, ...record } = stored
        const patched = serializer.patchSession(record, patch)
        update.run(...indexedColumns(patched), ...withChecksum(JSON.stringify(patched)), id)
        return { ...patched, ...(damage && { damage }) }
      }),
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list(filter = {}) {
      ensureOpen()
      return list(filter)
    },
    async countOf(creatorId) {
      ensureOpen()
      return numberColumn(count.get(creatorId))
    },
    async remove(id, usage) {
      const removed = await writes.add(() => {
        const { number } = sessionRows.get(id)
        if (usage) deletedUsage.add(columnOf(selectProject.get(id), 0), usage)
        spending.fill(number) // the sums of a removed session stay
        purge.begin(number)
        sessionRows.forget(id)
        damages.forget(number)
        return number
      })
      await purge.deleteRest(removed)
      reclaimer.start()
    },
  }
}

/** The fields that lists filter and sort by have columns of their own. */
const indexedColumns = (record: SessionRecord) =>
  [
    record.projectId ?? null,
    record.agent,
    record.state,
    record.createdAt,
    record.removedAt ?? null,
  ] as const
