import {
  columnOf,
  type Database,
  numberColumn,
  prepareStatement,
  readOr,
  textColumn,
} from './database.ts'
import { copyBothWays, copyByRowid, readEach } from './salvage-rows.ts'
import { intactRecord } from './stored-text.ts'

/**
 * Copies all events that can be read, by every way that leads to them: the table from both ends, by its
 * row numbers, and its index. An event that is as it was stored says itself where it belongs. One that
 * is not stays where it was, so that its session still ends before it. The sessions are copied already.
 */
export const salvageEvents = (from: Database, to: Database, hasChecksums: boolean): void => {
  const columns = `text, ${hasChecksums ? 'checksum' : 'NULL'}, session, seq`
  const put = eventWriter(to)
  const copyIntact = (row: unknown): void => {
    if (intactRecord(row)) put(row)
  }
  copyBothWays(from, 'events', columns, copyIntact)
  copyByRowid(from, 'events', columns, copyIntact)

  const byRowid = prepareStatement(from, `SELECT ${columns} FROM events WHERE rowid = ?`)
  const isThere = prepareStatement(to, 'SELECT 1 FROM events WHERE session = ? AND seq = ?')
  for (const order of ['ASC', 'DESC']) {
    const index = prepareStatement(
      from,
      `SELECT session, seq, rowid FROM events INDEXED BY events_in_order
      ORDER BY session ${order}, seq ${order}`,
    )
    const isComplete = readEach(index, (entry) => {
      const [session, seq, rowid] = [0, 1, 2].map((column) => Number(columnOf(entry, column)))
      if (session === undefined || seq === undefined || rowid === undefined) return
      if (isThere.get(session, seq) !== undefined) return
      const row = readOr(
        () => byRowid.get(rowid),
        () => undefined,
      )
      const text = columnOf(row, 0)
      // What cannot be read must not look as if it had never been there.
      put([typeof text === 'string' ? text : '', wrongChecksum(row), session, seq])
    })
    if (isComplete) break
  }
  copyBothWays(from, 'events', columns, put)
}

/** The checksum of a row that can be read; one that fits no empty text, if it cannot. */
const wrongChecksum = (row: unknown): number => {
  const checksum = columnOf(row, 1)
  return typeof checksum === 'number' ? checksum : 1
}

/** Returns a function that writes an event unless it is there. */
const eventWriter = (to: Database): ((row: unknown) => void) => {
  const insert = prepareStatement(
    to,
    'INSERT OR IGNORE INTO events (text, checksum, session, seq) VALUES (?, ?, ?, ?)',
  )
  const numbers = new Map(
    prepareStatement(to, 'SELECT id, number FROM sessions')
      .all()
      .map((row) => [textColumn(row), numberColumn(row, 1)]),
  )
  return (row) => {
    // Without a checksum, its text is no surer than its place.
    const event =
      columnOf(row, 1) === null
        ? undefined
        : intactRecord<{ sessionId?: unknown; seq?: unknown }>(row)
    const session = numbers.get(String(event?.sessionId)) ?? columnOf(row, 2)
    const seq = event?.seq ?? columnOf(row, 3)
    const [text, checksum] = [columnOf(row, 0), columnOf(row, 1)]
    if (typeof text !== 'string' || typeof session !== 'number' || typeof seq !== 'number') return
    insert.run(text, typeof checksum === 'number' ? checksum : null, session, seq)
  }
}
