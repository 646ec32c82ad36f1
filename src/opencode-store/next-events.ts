import type { DatabaseSync } from 'node:sqlite'
import { countOf, defined, fieldsOf, stringOf } from '../shared/fields.ts'
import { exceededLimit } from '../shared/json-shape.ts'
import { pageLimits, type StoreCursor, type StoreLine, type StorePage } from './store.ts'

/**
 * Reads the events of a session and its subagents, in the order in which they were written. Undefined
 * if OpenCode has stored no events of the session: older versions did not.
 */
export const nextEvents = (
  database: DatabaseSync,
  sessionId: string,
  cursor: StoreCursor | undefined,
): StorePage | undefined => {
  if (cursor?.message || !hasEvents(database, sessionId)) return undefined
  const seqs = new Map(Object.entries(cursor?.seqs ?? {}))
  const family = [sessionId, ...subagentsOf(database, sessionId)]
  const after = Object.fromEntries(family.map((id) => [id, seqs.get(id) ?? -1]))
  // One row at a time: together they can be gigabytes.
  const rows = database.prepare(eventsInOrder).iterate(JSON.stringify(after), pageLimits.rows)
  const lines: StoreLine[] = []
  let characters = 0
  for (const row of rows) {
    const line = lineOf(row)
    seqs.set(stringOf(row.session) ?? '', line.seq)
    lines.push(line)
    characters += Number(row.size)
    if (characters > pageLimits.characters) break
  }
  return {
    lines,
    cursor: { seqs: Object.fromEntries(seqs) },
    hasMore: lines.length === pageLimits.rows || characters > pageLimits.characters,
  }
}

const hasEvents = (database: DatabaseSync, sessionId: string): boolean =>
  database.prepare('SELECT 1 FROM event WHERE aggregate_id = ? AND seq = 0').get(sessionId) !==
  undefined

/** The sessions of the subagents of a session, and of their subagents. */
export const subagentsOf = (database: DatabaseSync, sessionId: string): string[] =>
  database
    .prepare(
      `WITH RECURSIVE family(id, depth) AS (
         SELECT id, 1 FROM session WHERE parent_id = ?
         UNION
         SELECT session.id, depth + 1 FROM family JOIN session ON session.parent_id = family.id
         WHERE depth < 20)
       SELECT DISTINCT id FROM family LIMIT 10000`,
    )
    .all(sessionId)
    .flatMap(({ id }) => (typeof id === 'string' && id !== sessionId ? [id] : []))

/** The index alone says which rows come next. Only those are read. */
const eventsInOrder = `
  WITH next AS (
    SELECT event.rowid AS place FROM json_each(?) AS start
    JOIN event ON event.aggregate_id = start.key AND event.seq > start.value
    ORDER BY place LIMIT ?)
  SELECT event.id, event.aggregate_id AS session, event.seq, event.type, length(event.data) AS size,
    CASE WHEN length(event.data) <= ${pageLimits.characters} THEN event.data END AS data
  FROM next JOIN event ON event.rowid = next.place ORDER BY next.place`

const lineOf = (row: Record<string, unknown>): StoreLine => {
  const data = parsed(row.data)
  return {
    id: stringOf(row.id) ?? '',
    seq: countOf(row.seq) ?? 0,
    type: stringOf(row.type) ?? '',
    ...defined({ timestamp: timeOf(data) }),
    data,
  }
}

/** The value of a JSON text. A text that is too large or no JSON has none: the line is shown as unknown. */
export const parsed = (text: unknown): unknown => {
  if (typeof text !== 'string' || exceededLimit(text, { values: 500_000, depth: 200 })) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** When an event was written: a part says so, a message and a session have the time of their last change. */
const timeOf = (data: unknown): number | undefined => {
  const { time, info } = fieldsOf(data)
  const { completed, updated, created } = fieldsOf(fieldsOf(info).time)
  return countOf(time) ?? countOf(completed) ?? countOf(updated) ?? countOf(created)
}
