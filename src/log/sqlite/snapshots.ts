import type { SnapshotStore } from '../log.ts'
import { snapshotAhead } from '../log-fault.ts'
import type { SqliteContext } from './context.ts'
import { numberIn, prepare, textIn } from './database.ts'

/** One snapshot for each session: the newest. */
export const createSnapshots = ({
  database,
  writes,
  places,
  ensureOpen,
}: SqliteContext): SnapshotStore => {
  const upsert = prepare(
    database,
    `INSERT INTO snapshots (session, seq, text) VALUES (?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, text = excluded.text
      WHERE excluded.seq >= snapshots.seq`,
  )
  const select = prepare(database, 'SELECT seq, text FROM snapshots WHERE session = ?')

  return {
    put: (sessionId, seq, text) =>
      writes.add(() => {
        const { session, head } = places.of(sessionId)
        if (seq > head) throw snapshotAhead(sessionId, seq, head)
        upsert.run(session, seq, text)
      }, text.length),
    async get(sessionId) {
      ensureOpen()
      const place = places.find(sessionId)
      const row = place && select.get(place.session)
      return row === undefined ? undefined : { seq: numberIn(row), text: textIn(row, 1) }
    },
  }
}
