import type { SessionStore } from '../log.ts'
import { sessionExists, unknownSession } from '../log-fault.ts'
import type { SessionRecord } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { prepare } from './database.ts'
import type { Purge } from './purge.ts'
import { createSessionReads } from './session-reads.ts'

const columns = 'project, agent, state, created_at, removed_at, record'

/** The sessions table, and what it takes to remove a session. */
export const createSessions = (base: SqliteContext, purge: Purge): SessionStore => {
  const { database, writes, records, places, ensureOpen } = base
  const insert = prepare(
    database,
    `INSERT INTO sessions (id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = prepare(
    database,
    `UPDATE sessions SET (${columns}) = (?, ?, ?, ?, ?, ?) WHERE id = ?`,
  )
  const { find, list } = createSessionReads(database)

  return {
    async create(record) {
      const { id } = record
      const columnsOf = columnsIn(record)
      const { text } = records.take('session', record)
      await writes.addChecked(() => {
        const stored = text()
        if (find(id)) throw sessionExists(id)
        insert.run(id, ...columnsOf, stored)
      })
    },
    update: (id, patch) =>
      writes.addChecked(() => {
        const known = find(id)
        if (!known) throw unknownSession(id)
        const changed = records.patchSession(known, patch)
        change.run(...columnsIn(changed), records.pack('session', changed), id)
        return changed
      }),
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list(filter = {}) {
      ensureOpen()
      return list(filter)
    },
    async remove(id) {
      const session = await writes.add(() => {
        const { session } = places.of(id)
        purge.mark(session)
        places.forget(id)
        return session
      })
      await purge.run(session)
    },
  }
}

/** What is searched by. */
const columnsIn = (record: SessionRecord) =>
  [
    record.projectId ?? null,
    record.agent,
    record.state,
    record.createdAt,
    record.removedAt ?? null,
  ] as const
