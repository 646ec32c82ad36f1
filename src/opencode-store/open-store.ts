import { constants, type Stats } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Fault } from '../shared/fault.ts'
import { fieldsOf, stringOf } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { completeMessages } from './complete-messages.ts'
import { copiedMessages } from './copied-messages.ts'
import { nextEvents, subagentsOf } from './next-events.ts'
import type { OpenCodeSession, OpenCodeStore, StoreLine, StorePage } from './store.ts'

/**
 * Opens the database in which OpenCode stores its sessions, to read it. It may be in use, and it may be
 * the file of a stranger: a link, a pipe or a file of another user is refused. Rejects with a `Fault`.
 */
export const openOpenCodeStore = async (file: string): Promise<OpenCodeStore> => {
  await checkFile(file)
  const database = attempt(file, () => openReadOnly(file))
  try {
    attempt(file, () => checkTables(database))
    return storeOf(file, database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** The tables that are read. No other one is: some hold logins. */
const tables = ['event', 'message', 'part', 'session'] as const

/** The most sessions of one page. */
const pageOfSessions = 500

const storeOf = (file: string, database: DatabaseSync): OpenCodeStore => {
  const read = <Result>(work: () => Result): Result => attempt(file, work)
  return {
    sessions: (after = '') => read(() => sessionsWhere(database, 'id > ?', after)),
    session: (id) => read(() => sessionsWhere(database, 'id = ?', id)[0]),
    read: (sessionId, cursor) =>
      read((): StorePage => {
        const page =
          nextEvents(database, sessionId, cursor) ?? completeMessages(database, sessionId, cursor)
        return { ...page, lines: withOriginals(database, page.lines) }
      }),
    stateOf: (sessionId) => read(() => stateOf(database, sessionId)),
    changes: (since) => read(() => changesSince(database, since)),
    close: () => database.close(),
  }
}

/** Marks the messages that a fork has copied. */
const withOriginals = (database: DatabaseSync, lines: readonly StoreLine[]): StoreLine[] => {
  const ids = lines.map(messageIdOf)
  const copies = copiedMessages(
    database,
    ids.flatMap((id) => id ?? []),
  )
  return lines.map((line, index) => {
    const copyOf = copies.get(ids[index] ?? '')
    return copyOf === undefined ? line : { ...line, copyOf }
  })
}

const messageIdOf = ({ type, data }: StoreLine): string | undefined =>
  type.startsWith('message.updated') ? stringOf(fieldsOf(fieldsOf(data).info).id) : undefined

const checkFile = async (file: string): Promise<void> => {
  const refuse = (why: string) => unreadable(file, why)
  let stats: Stats
  try {
    stats = await lstat(file)
    // Reads as another program would, without waiting for a pipe.
    await (
      await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    ).close()
  } catch (cause) {
    throw refuse(reasonOf(cause))
  }
  if (!stats.isFile()) throw refuse('it is not a regular file')
  const user = process.getuid?.()
  if (user !== undefined && stats.uid !== user) throw refuse('it belongs to another user')
}

/** A database that is read only, and whose schema cannot run functions. */
const openReadOnly = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs })
  database.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0;')
  return database
}

/** Readers of a WAL hardly ever wait. Node waits with everything else, so not for long. */
const busyMs = 100

/** A view of the same name could be a query without an end. */
const checkTables = (database: DatabaseSync) => {
  const found = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'`)
    .all()
    .map(({ name }) => name)
  const missing = tables.filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`it has no table ${missing.join(', ')}`)
}

const sessionsWhere = (
  database: DatabaseSync,
  condition: 'id > ?' | 'id = ?',
  id: string,
): OpenCodeSession[] =>
  database
    .prepare(
      `SELECT id, directory, title, CAST(time_created AS REAL) AS created,
        CAST(time_updated AS REAL) AS updated
       FROM session WHERE parent_id IS NULL AND ${condition} ORDER BY id LIMIT ?`,
    )
    .all(id, pageOfSessions)
    .flatMap(({ id, directory, title, created, updated }) =>
      typeof id === 'string' && typeof directory === 'string'
        ? {
            ...{ id, directory, title: typeof title === 'string' ? title : '' },
            ...{ createdAt: Number(created), updatedAt: Number(updated) },
          }
        : [],
    )

/** Counts events by their index, and messages by theirs: no row is read. */
const stateOf = (database: DatabaseSync, sessionId: string): string => {
  const family = JSON.stringify([sessionId, ...subagentsOf(database, sessionId)])
  const [row] = database
    .prepare(
      `SELECT
        (SELECT count(*) || ' ' || coalesce(max(event.rowid), 0) FROM json_each(?1) AS each
          JOIN event ON event.aggregate_id = each.value) AS events,
        (SELECT count(*) || ' ' || coalesce(max(time_updated), 0) FROM message
          WHERE session_id = ?2) AS messages`,
    )
    .all(family, sessionId)
  return `${row?.events} ${row?.messages}`
}

/** New rows have higher numbers than all rows before them. */
const changesSince = (
  database: DatabaseSync,
  since: number,
): { place: number; sessionIds: string[] } => {
  const [last] = database.prepare('SELECT max(rowid) AS place FROM event').all()
  const place = Number(last?.place ?? 0)
  const rows = database
    .prepare(
      `WITH RECURSIVE changed(id, depth) AS (
         SELECT DISTINCT aggregate_id, 0 FROM event WHERE rowid > ? AND rowid <= ?
         UNION
         SELECT session.parent_id, depth + 1 FROM changed JOIN session ON session.id = changed.id
         WHERE session.parent_id IS NOT NULL AND depth < 20)
       SELECT DISTINCT session.id FROM changed JOIN session ON session.id = changed.id
       WHERE session.parent_id IS NULL`,
    )
    .all(since, place)
  return { place, sessionIds: rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])) }
}

const attempt = <Result>(file: string, work: () => Result): Result => {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof Fault ? cause : unreadable(file, reasonOf(cause), cause)
  }
}

const unreadable = (file: string, why: string, cause?: unknown): Fault =>
  new Fault('file_not_readable', `The sessions of OpenCode in ${file} cannot be read: ${why}.`, {
    cause,
  })
