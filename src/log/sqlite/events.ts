import type { SessionDamage, StampedEvent } from '../../events/types.ts'
import { checksumOf } from '../checksum.ts'
import { damagedSession } from '../damage.ts'
import { checkNextSeq, type EventBatch, serializeEvents } from '../event-batch.ts'
import type { EventStore } from '../log.ts'
import { parsePages, type ReadPage, readPages } from '../read-pages.ts'
import { spendingIn } from '../spending-update.ts'
import type { SqliteContext } from './context.ts'
import {
  columnOf,
  numberColumn,
  prepareStatement,
  readableRows,
  readOr,
  rollBack,
} from './database.ts'
import type { SessionDamages } from './session-damages.ts'
import type { CachedSessionRow } from './session-rows.ts'
import type { SpendingTable } from './spending.ts'
import { intactRecord, intactText } from './stored-text.ts'

/** The events table. */
export const createEventStore = (
  context: SqliteContext,
  spending: Pick<SpendingTable, 'add'>,
): EventStore => {
  const { database, writes, sessionRows, damages, ensureOpen } = context
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
  const pageReader = createPageReader({ ...context, rebuildIndices: indexRebuilder(context) })
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
      const used = spendingIn(events)
      let session: CachedSessionRow | undefined
      const insertAll = () => {
        session = sessionRows.get(sessionId)
        const damage = damages.find(session.number)
        if (damage) throw damagedSession(sessionId, damage)
        if (texts.length > 0) checkNextSeq(sessionId, session.head + 1, first)
        for (const text of texts) {
          insert.run(session.number, session.head + 1, text, checksumOf(text))
          session.head += 1
        }
        if (used.length > 0) spending.add(session.number, used)
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
      const session = sessionRows.find(sessionId)
      return session ? damages.readableHead(session.number, session.durable) : 0
    },
    async checksumAt(sessionId, seq) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session || seq > damages.readableHead(session.number, session.durable)) return undefined
      const { number } = session
      const row = readOr(
        () => selectChecksum.get(number, seq),
        () => undefined,
      )
      const [checksum, text] = [columnOf(row, 0), columnOf(row, 1)]
      if (typeof text === 'string') return checksumOf(text)
      return typeof checksum === 'number' ? checksum : undefined
    },
    async eventBytes(sessionId, after, last) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      return session ? numberColumn(selectBytes.get(session.number, after, last)) : 0
    },
  }
}

/** An index may be damaged where the table is not. One attempt: it reads all events. */
const indexRebuilder = ({ database }: SqliteContext): (() => boolean) => {
  let isTried = false
  const count = prepareStatement(database, 'SELECT count(*) FROM events INDEXED BY events_in_order')
  const entries = (): number =>
    readOr(
      () => numberColumn(count.get()),
      () => 0,
    )
  return () => {
    if (isTried) return false
    isTried = true
    const before = entries()
    try {
      database.exec('BEGIN; REINDEX events')
      // With fewer entries, it is the table that is damaged, and the index knows what is missing.
      if (entries() < before) throw new Error('The table is damaged.')
      database.exec('COMMIT')
      return true
    } catch {
      rollBack(database)
      return false
    }
  }
}

/** What a reader of pages needs of a context. */
export interface PageReaderParts
  extends Pick<SqliteContext, 'database' | 'sessionRows' | 'ensureOpen'> {
  damages: Pick<SessionDamages, 'mark' | 'readableHead'>
  /** Builds the indices of the events again, if that was not tried yet. False if it was. */
  rebuildIndices?(): boolean
}

/**
 * Reads pages of a session. A page ends with the first large event in it, to stay small in bytes. It
 * ends before an event that is damaged, and so does the session from then on.
 */
export const createPageReader = (parts: PageReaderParts) => {
  const { database, sessionRows, damages, ensureOpen } = parts
  const select = prepareStatement(
    database,
    `SELECT text, checksum, seq FROM events
    WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  // INDEXED BY fails at once when the condition does not match the index. Without the index this
  // query would scan every event of the session.
  const selectLarge = prepareStatement(
    database,
    `SELECT min(seq) FROM events INDEXED BY large_events
    WHERE session = ? AND seq > ? AND substr(text, 8193, 1) <> ''`,
  )

  const endOfPage = (number: number, after: number, head: number): number => {
    const large = columnOf(
      readOr(
        () => selectLarge.get(number, after),
        () => undefined,
      ),
      0,
    )
    return typeof large === 'number' ? Math.min(head, large) : head
  }

  const readTexts = (
    { number, id }: Pick<CachedSessionRow, 'number' | 'id'>,
    after: number,
    end: number,
    limit: number,
  ): TextsRead => {
    const { rows } = readableRows(select, number, after, end, limit)
    const texts: string[] = []
    for (const row of rows) {
      const text = eventText(row, id, after + texts.length + 1)
      if (text === undefined) break
      texts.push(text)
    }
    return { texts, isWhole: texts.length >= Math.min(limit, end - after) }
  }

  return (sessionId: string): ReadPage =>
    (after, limit) => {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session) return { texts: [], more: false }
      const { number, durable } = session
      const head = damages.readableHead(number, durable)
      const end = endOfPage(number, after, head)
      let { texts, isWhole } = readTexts(session, after, end, limit)
      if (!isWhole && parts.rebuildIndices?.() === true)
        ({ texts, isWhole } = readTexts(session, after, end, limit))
      if (!isWhole) damages.mark(session, damagedFrom(after + texts.length + 1))
      return { texts, more: isWhole && texts.length > 0 && after + texts.length < head }
    }
}

interface TextsRead {
  /** The texts before the first event that is missing or damaged. */
  texts: string[]
  /** Whether no event is missing or damaged. */
  isWhole: boolean
}

/** The text of an event; undefined if it is damaged, or another event. */
const eventText = (row: unknown, sessionId: string, seq: number): string | undefined => {
  const text = columnOf(row, 2) === seq ? intactText(row) : undefined
  if (text === undefined) return undefined
  // A damaged index may lead to another event, whose checksum is right. An older version stored none.
  const isNamed = text.includes(`"sessionId":"${sessionId}","seq":${seq},`)
  if (isNamed && columnOf(row, 1) !== null) return text
  const event = intactRecord<StampedEvent>(row)
  return event?.seq === seq && event.sessionId === sessionId ? text : undefined
}

const damagedFrom = (seq: number): SessionDamage => ({
  seq,
  reason: `Event ${seq} is missing or damaged. The events before it can be read.`,
})
