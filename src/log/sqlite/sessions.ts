import type { SessionFilter, SessionStore } from '../log.ts'
import { sessionExists, unknownSession } from '../log-fault.ts'
import { patchSession, type SessionRecord, sessionRecord } from '../session-record.ts'
import { pack, unpack } from '../stored.ts'
import type { Base } from './base.ts'
import { prepare, textIn } from './database.ts'
import type { Purge } from './purge.ts'

const columns = 'project, agent, state, created_at, removed_at, record'

/** The sessions table, and what it takes to remove a session. */
export const createSessions = (base: Base, purge: Purge): SessionStore => {
  const { database, writes, places, ensureOpen } = base
  const insert = prepare(
    database,
    `INSERT INTO sessions (id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = prepare(
    database,
    `UPDATE sessions SET (${columns}) = (?, ?, ?, ?, ?, ?) WHERE id = ?`,
  )
  const select = prepare(database, 'SELECT record FROM sessions WHERE id = ?')
  const selectPage = prepare(
    database,
    `SELECT record FROM sessions
    WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR agent = ?2)
      AND (?3 IS NULL OR state = ?3) AND (?4 OR removed_at IS NULL)
      AND (?5 IS NULL OR (created_at, id) < (?5, ?6))
    ORDER BY created_at DESC, id DESC LIMIT ?7`,
  )

  const find = (id: string): SessionRecord | undefined => {
    const row = select.get(id)
    return row === undefined ? undefined : unpack(sessionRecord, textIn(row))
  }

  return {
    async create(record) {
      const row = rowOf(record)
      await writes.add(() => {
        if (select.get(record.id) !== undefined) throw sessionExists(record.id)
        insert.run(record.id, ...row)
      })
    },
    update: (id, patch) =>
      writes.add(() => {
        const known = find(id)
        if (!known) throw unknownSession(id)
        const changed = patchSession(known, patch)
        change.run(...rowOf(changed), id)
        return changed
      }),
    async get(id) {
      ensureOpen()
      return find(id)
    },
    async list(filter = {}) {
      ensureOpen()
      return selectPage.all(...valuesOf(filter)).map((row) => unpack(sessionRecord, textIn(row)))
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

const rowOf = (record: SessionRecord) =>
  [
    record.projectId ?? null,
    record.agent,
    record.state,
    record.createdAt,
    record.removedAt ?? null,
    pack(sessionRecord, record),
  ] as const

const valuesOf = ({ projectId, agent, state, withRemoved, before, limit = 50 }: SessionFilter) =>
  [
    projectId ?? null,
    agent ?? null,
    state ?? null,
    withRemoved ? 1 : 0,
    before?.createdAt ?? null,
    before?.id ?? null,
    limit,
  ] as const
