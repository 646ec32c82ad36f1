import type { SessionFilter } from '../log.ts'
import type { SessionRecord } from '../types.ts'
import { type Database, prepare, textIn } from './database.ts'
import { unpack } from './records.ts'

/** What can be looked up in the sessions table. */
export const createSessionReads = (database: Pick<Database, 'prepare'>) => {
  const select = prepare(database, 'SELECT record FROM sessions WHERE id = ?')
  const selectPage = prepare(
    database,
    `SELECT record FROM sessions
    WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR agent = ?2)
      AND (?3 IS NULL OR state = ?3) AND (?4 OR removed_at IS NULL)
      AND (?5 IS NULL OR (created_at, id) < (?5, ?6))
    ORDER BY created_at DESC, id DESC LIMIT ?7`,
  )
  return {
    find(id: string): SessionRecord | undefined {
      const row = select.get(id)
      return row === undefined ? undefined : unpack('session', textIn(row))
    },
    list: (filter: SessionFilter): SessionRecord[] =>
      selectPage.all(...valuesOf(filter)).map((row) => unpack('session', textIn(row))),
  }
}

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
