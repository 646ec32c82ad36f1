import type { SnapshotStore } from '../log.ts'
import { snapshotAhead } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { numberColumn, prepareStatement, textColumn } from './database.ts'

/** The snapshots table: the newest snapshot of each session. */
export const createSnapshotStore = (context: SqliteContext): SnapshotStore => {
  const { database, writes, sessionRows, ensureOpen } = context
  const upsert = prepareStatement(
    database,
    `INSERT INTO snapshots (session, seq, text) VALUES (?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, text = excluded.text
      WHERE excluded.seq >= snapshots.seq`,
  )
  const select = prepareStatement(database, 'SELECT seq, text FROM snapshots WHERE session = ?')

  return {
    put: (sessionId, seq, text) =>
      writes.add(() => {
        const { number, head } = sessionRows.get(sessionId)
        if (seq > head) throw snapshotAhead(sessionId, seq, head)
        upsert.run(number, seq, text)
      }, text.length),
    async get(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      const row = session && select.get(session.number)
      return row === undefined ? undefined : { seq: numberColumn(row), text: textColumn(row, 1) }
    },
  }
}
