import { type Batch, batchOf, checkNext } from '../batch.ts'
import type { Log } from '../log.ts'
import { eventsOf, pagesOf, type ReadPage } from '../pages.ts'
import type { SqliteContext } from './context.ts'
import { numberIn, prepare, textIn, valueIn } from './database.ts'
import type { SessionRow } from './session-rows.ts'

/** The events of all sessions. */
export const createEvents = (
  base: SqliteContext,
): Pick<Log, 'append' | 'read' | 'readText' | 'head'> => {
  const { database, writes, places, ensureOpen } = base
  const insert = prepare(database, 'INSERT INTO events (session, seq, text) VALUES (?, ?, ?)')
  const select = prepare(
    database,
    'SELECT text FROM events WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  // Named, so that it fails at once where the condition is not the index’s: without it, this would
  // look at every event.
  const selectLarge = prepare(
    database,
    `SELECT min(seq) FROM events INDEXED BY large_events
    WHERE session = ? AND seq > ? AND octet_length(text) > 8192`,
  )

  /** A page ends behind its first large event. */
  const pageOf =
    (sessionId: string): ReadPage =>
    (after, rows) => {
      ensureOpen()
      const place = places.find(sessionId)
      if (!place) return { texts: [], more: false }
      const large = selectLarge.get(place.session, after)
      const { session, durable } = place
      const end = Math.min(durable, valueIn(large, 0) === null ? durable : numberIn(large))
      const texts = select.all(session, after, end, rows).map((row) => textIn(row))
      return { texts, more: texts.length > 0 && after + texts.length < durable }
    }

  const readText: Log['readText'] = (sessionId, after, limit) =>
    pagesOf(pageOf(sessionId), after, limit)

  return {
    // Not an async function: one promise instead of two, for what is done thousands of times a second.
    append(sessionId, events) {
      let batch: Batch
      try {
        batch = batchOf(sessionId, events)
      } catch (cause) {
        return Promise.reject(cause)
      }
      const { first, texts, length } = batch
      let place: SessionRow | undefined
      const store = () => {
        place = places.of(sessionId)
        if (texts.length > 0) checkNext(sessionId, place.head + 1, first)
        for (const text of texts) {
          insert.run(place.session, place.head + 1, text)
          place.head += 1
        }
      }
      const note = () => {
        if (place && texts.length > 0) place.durable = first + texts.length - 1
      }
      return writes.add(store, length, note)
    },
    read: (sessionId, after, limit) => eventsOf(readText(sessionId, after, limit)),
    readText,
    async head(sessionId) {
      ensureOpen()
      return places.find(sessionId)?.durable ?? 0
    },
  }
}
