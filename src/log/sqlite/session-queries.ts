import type { SessionFilter } from '../log.ts'
import type { SessionRecord } from '../types.ts'
import { type Database, prepareStatement, textColumn } from './database.ts'

/** Reads of the sessions table. */
export interface SessionQueries {
  find(id: string): SessionRecord | undefined
  /** Newest first. */
  list(filter: SessionFilter): SessionRecord[]
}

export const createSessionQueries = (database: Pick<Database, 'prepare'>): SessionQueries => {
  const select = prepareStatement(database, 'SELECT record FROM sessions WHERE id = ?')
  const selectPage = prepareStatement(
    database,
    `SELECT record FROM sessions
    WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR agent = ?2)
      AND (?3 IS NULL OR state = ?3) AND (?4 OR removed_at IS NULL)
      AND (?6 IS NULL OR number < coalesce(
        (SELECT number FROM sessions WHERE id = ?6),
        -- That session was deleted meanwhile: continue after those that are as old.
        (SELECT max(number) + 1 FROM sessions WHERE (created_at, id) < (?5, ?6)), 0))
      AND (?8 IS NULL OR record ->> 'creatorId' = ?8)
      AND (?9 IS NULL OR project IN (SELECT value FROM json_each(?9))
        OR id IN (SELECT value FROM json_each(?10)))
    ORDER BY number DESC LIMIT ?7`,
  )
  return {
    find(id) {
      const row = select.get(id)
      return row === undefined ? undefined : recordIn(row)
    },
    list({ projectId, agent, state, creatorId, within, includeRemoved, before, limit = 50 }) {
      const rows = selectPage.all(
        projectId ?? null,
        agent ?? null,
        state ?? null,
        includeRemoved ? 1 : 0,
        before?.createdAt ?? null,
        before?.id ?? null,
        limit,
        creatorId ?? null,
        within ? JSON.stringify(within.projects) : null,
        within ? JSON.stringify(within.sessions) : null,
      )
      return rows.map(recordIn)
    },
  }
}

const recordIn = (row: unknown): SessionRecord => JSON.parse(textColumn(row))
