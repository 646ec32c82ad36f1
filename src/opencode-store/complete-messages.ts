import type { DatabaseSync } from 'node:sqlite'
import { defined, type Fields, fieldsOf, stringOf } from '../shared/fields.ts'
import { parsed } from './next-events.ts'
import { pageLimits, type StoreCursor, type StoreLine, type StorePage } from './store.ts'

/**
 * Reads a session from the rows of its messages: each message when it is complete, as the events that
 * a later version would have stored. Its subagents are left out: no row says when they wrote.
 */
export const completeMessages = (
  database: DatabaseSync,
  sessionId: string,
  cursor: StoreCursor | undefined,
): StorePage => {
  const start = cursor?.message ?? { time: -1, id: '' }
  const [session] = database.prepare(sessionRow).all(sessionId)
  const rows = database
    .prepare(nextMessages)
    .all(sessionId, start.time, start.time, start.id, pageLimits.rows / 10)
  const lines: StoreLine[] = []
  let last = cursor?.message
  let isStopped = false
  let done = 0
  let characters = 0
  for (const row of rows) {
    const info = { ...fieldsOf(parsed(row.data)), id: row.id, sessionID: sessionId }
    isStopped = !isComplete(info)
    if (isStopped) break
    if (!last && session) lines.push(sessionLine(sessionId, session))
    last = { time: Number(row.time), id: stringOf(row.id) ?? '' }
    lines.push(...messageLines(database, info))
    done += 1
    characters += Number(row.size) + sizeOfParts(database, last.id)
    if (characters > pageLimits.characters) break
  }
  return {
    lines: lines.map((line, seq) => ({ ...line, seq })),
    cursor: { seqs: {}, ...defined({ message: last }) },
    // Behind a message that is not complete, nothing is read.
    hasMore: !isStopped && (rows.length === pageLimits.rows / 10 || done < rows.length),
  }
}

const sessionRow = `SELECT directory, title, version, CAST(time_created AS REAL) AS created
  FROM session WHERE id = ?`

const nextMessages = `SELECT id, CAST(time_created AS REAL) AS time, length(data) AS size,
    CASE WHEN length(data) <= ${pageLimits.characters} THEN data END AS data
  FROM message WHERE session_id = ? AND (time_created > ? OR (time_created = ? AND id > ?))
  ORDER BY time_created, id LIMIT ?`

/** What comes after so many characters of one message is shown as unknown. */
const maxCharacters = 4 * pageLimits.characters

const partsOf = `SELECT id,
    CASE WHEN length(data) <= ${pageLimits.characters}
      AND sum(length(data)) OVER (ORDER BY id) <= ${maxCharacters} THEN data END AS data
  FROM part WHERE message_id = ? ORDER BY id LIMIT 5000`

const sizeOfParts = (database: DatabaseSync, messageId: string): number => {
  const sum = 'SELECT sum(length(data)) AS size FROM part WHERE message_id = ?'
  return Number(database.prepare(sum).get(messageId)?.size ?? 0)
}

/** The answer of a model is complete when it says so. */
const isComplete = ({ role, time }: Fields): boolean =>
  role === 'user' || fieldsOf(time).completed !== undefined

const sessionLine = (id: string, row: Record<string, unknown>): StoreLine => {
  const { directory, title, version, created } = row
  const info = { id, directory, title, version, time: { created } }
  return lineOf('session.created.1', `${id} created`, Number(created), { sessionID: id, info })
}

const messageLines = (database: DatabaseSync, info: Fields): StoreLine[] => {
  const id = stringOf(info.id) ?? ''
  const sessionID = info.sessionID
  const { created, completed } = fieldsOf(info.time)
  const opened = { ...info, time: { created }, error: undefined }
  const message = (suffix: string, value: Fields, time: unknown): StoreLine =>
    lineOf('message.updated.1', `${id} ${suffix}`, Number(time), { sessionID, info: value })
  const parts = database
    .prepare(partsOf)
    .all(id)
    .map((row) => {
      const part = { ...fieldsOf(parsed(row.data)), id: row.id, messageID: id, sessionID }
      return lineOf('message.part.updated.1', stringOf(row.id) ?? '', Number(created), {
        ...{ sessionID, part },
      })
    })
  const start = message('start', opened, created)
  return info.role === 'user'
    ? [start, ...parts]
    : [start, ...parts, message('end', info, completed)]
}

const lineOf = (type: string, id: string, timestamp: number, data: Fields): StoreLine => ({
  ...{ id, seq: 0, type, data },
  ...(Number.isFinite(timestamp) && { timestamp }),
})
