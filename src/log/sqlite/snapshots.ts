import type { SnapshotStore } from '../log.ts'
import { snapshotAhead } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, prepareStatement, readableRows } from './database.ts'
import type { SessionDamages } from './session-damages.ts'
import type { CachedSessionRow } from './session-rows.ts'
import { intactText, withChecksum } from './stored-text.ts'

/** The snapshots table: the newest snapshot of each session. */
export const createSnapshotStore = (context: SqliteContext): SnapshotStore => {
  const { database, writes, sessionRows, reports } = context
  const remove = prepareStatement(database, 'DELETE FROM snapshots WHERE session = ?')
  const upsert = prepareStatement(
    database,
    `INSERT INTO snapshots (session, seq, text, checksum) VALUES (?, ?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET
      seq = excluded.seq, text = excluded.text, checksum = excluded.checksum
      WHERE excluded.seq >= snapshots.seq`,
  )

  return {
    put: (sessionId, seq, text) =>
      writes.add(() => {
        const { number, head } = sessionRows.get(sessionId)
        if (seq > head) throw snapshotAhead(sessionId, seq, head)
        upsert.run(number, seq, ...withChecksum(text))
      }, text.length),
    get: createSnapshotReader(context, ({ number, id }) => {
      reports.add({ kind: 'snapshot', id, sessionId: id, reason: 'The snapshot is made again.' })
      writes.add(() => void remove.run(number)).catch(() => {}) // it is found again
      reports.forget('snapshot', id)
    }),
  }
}

/** Reads the newest snapshot of a session. One that is damaged can be made again from the events. */
export const createSnapshotReader = (
  {
    database,
    sessionRows,
    damages,
    ensureOpen,
  }: Pick<SqliteContext, 'database' | 'sessionRows' | 'ensureOpen'> & {
    damages: Pick<SessionDamages, 'readableHead'>
  },
  onDamage: (session: CachedSessionRow) => void = () => {},
): SnapshotStore['get'] => {
  const select = prepareStatement(
    database,
    'SELECT text, checksum, seq FROM snapshots WHERE session = ?',
  )
  return async (sessionId) => {
    ensureOpen()
    const session = sessionRows.find(sessionId)
    if (!session) return undefined
    const { rows, isComplete } = readableRows(select, session.number)
    const [row] = rows
    if (isComplete && row === undefined) return undefined
    const text = intactText(row)
    const seq = columnOf(row, 2)
    const head = damages.readableHead(session.number, session.durable)
    if (text !== undefined && typeof seq === 'number' && seq <= head) return { seq, text }
    // Of a damaged session, the snapshot may be the only copy of what came later.
    if (text === undefined || head === session.durable) onDamage(session)
    return undefined
  }
}
