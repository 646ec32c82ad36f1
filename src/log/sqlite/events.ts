import { checksumOf } from '../checksum.ts'
import { checkNextSeq, type EventBatch, serializeEvents } from '../event-batch.ts'
import type { EventStore } from '../log.ts'
import { parsePages, type ReadPage, readPages } from '../read-pages.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, numberColumn, prepareStatement, textColumn } from './database.ts'
import type { CachedSessionRow } from './session-rows.ts'

/** The events table. */
export const createEventStore = (context: SqliteContext): EventStore => {
  const { database, writes, sessionRows, ensureOpen } = context
  const insert = prepareStatement(
    database,
    'INSERT INTO events (session, seq, text, checksum) VALUES (?, ?, ?, ?)',
  )
  const selectBytes = prepareStatement(
    database,
    `SELECT coalesce(sum(octet_length(text)), 0) FROM events
    WHERE session = ? AND seq > ? AND seq <= ?`,
  )
  // Events of an older version have no checksum.
  const selectChecksum = prepareStatement(
    database,
    `SELECT checksum, CASE WHEN checksum IS NULL THEN text END FROM events
    WHERE session = ? AND seq = ?`,
  )
  const pageReader = createPageReader(context)
  const readText: EventStore['readText'] = (sessionId, after, limit) =>
    readPages(pageReader(sessionId), after, limit)

  return {
    // Not an async function: this runs thousands of times a second, and needs only one promise.
    append(sessionId, events) {
      let batch: EventBatch
      try {
        batch = serializeEvents(sessionId, events)
      } catch (cause) {
        return Promise.reject(cause)
      }
      const { first, texts, length } = batch
      let session: CachedSessionRow | undefined
      const insertAll = () => {
        session = sessionRows.get(sessionId)
        if (texts.length > 0) checkNextSeq(sessionId, session.head + 1, first)
        for (const text of texts) {
          insert.run(session.number, session.head + 1, text, checksumOf(text))
          session.head += 1
        }
      }
      const markDurable = () => {
        if (session && texts.length > 0) session.durable = first + texts.length - 1
      }
      return writes.add(insertAll, length, markDurable)
    },
    read: (sessionId, after, limit) => parsePages(readText(sessionId, after, limit)),
    readText,
    async head(sessionId) {
      ensureOpen()
      return sessionRows.find(sessionId)?.durable ?? 0
    },
    async checksumAt(sessionId, seq) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session || seq > session.durable) return undefined
      const row = selectChecksum.get(session.number, seq)
      if (row === undefined) return undefined
      return columnOf(row, 0) === null ? checksumOf(textColumn(row, 1)) : numberColumn(row)
    },
    async eventBytes(sessionId, after, last) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      return session ? numberColumn(selectBytes.get(session.number, after, last)) : 0
    },
  }
}

/** Reads pages of a session. A page ends with the first large event in it, to stay small in bytes. */
export const createPageReader = ({
  database,
  sessionRows,
  ensureOpen,
}: Pick<SqliteContext, 'database' | 'sessionRows' | 'ensureOpen'>) => {
  const select = prepareStatement(
    database,
    'SELECT text FROM events WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  // INDEXED BY fails at once when the condition does not match the index. Without the index this
  // query would scan every event of the session.
  const selectLarge = prepareStatement(
    database,
    `SELECT min(seq) FROM events INDEXED BY large_events
    WHERE session = ? AND seq > ? AND substr(text, 8193, 1) <> ''`,
  )

  return (sessionId: string): ReadPage =>
    (after, limit) => {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session) return { texts: [], more: false }
      const { number, durable } = session
      const large = selectLarge.get(number, after)
      const end = columnOf(large, 0) === null ? durable : Math.min(durable, numberColumn(large))
      const texts = select.all(number, after, end, limit).map((row) => textColumn(row))
      return { texts, more: texts.length > 0 && after + texts.length < durable }
    }
}
