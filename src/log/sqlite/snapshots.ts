import type { SnapshotStore } from '../log.ts'
import { snapshotAhead } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement, textColumn } from './database.ts'

/** The snapshots table: the newest snapshot of each session. */
export const createSnapshotStore = (context: SqliteContext): SnapshotStore => {
  const { database, writes, sessionRows } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO snapshots (session, seq, text) VALUES (?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, text = excluded.text
      WHERE excluded.seq >= snapshots.seq`,
  )

  return {
    put: (sessionId, seq, text) =>
      writes.add(() => {
        const { number, head } = sessionRows.get(sessionId)
        if (seq > head) throw snapshotAhead(sessionId, seq, head)
        upsert.run(number, seq, text)
      }, text.length),
    get: createSnapshotReader(context),
  }
}

/** Reads the newest snapshot of a session. */
export const createSnapshotReader = ({
  database,
  sessionRows,
  ensureOpen,
}: Pick<SqliteContext, 'database' | 'sessionRows' | 'ensureOpen'>): SnapshotStore['get'] => {
  const select = prepareStatement(database, 'SELECT seq, text FROM snapshots WHERE session = ?')
  return async (sessionId) => {
    ensureOpen()
    const session = sessionRows.find(sessionId)
    const row = session && select.get(session.number)
    return row === undefined ? undefined : { seq: numberColumn(row), text: textColumn(row, 1) }
  }
}
