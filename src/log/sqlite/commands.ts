import { checksumOf } from '../checksum.ts'
import type { CommandStore } from '../log.ts'
import { commandExists } from '../log-fault.ts'
import type { CommandRecord, CommandState } from '../types.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, numberColumn, prepareStatement, readableRows, textColumn } from './database.ts'
import { intactRecord, withChecksum } from './stored-text.ts'

/** A closed command has no record. */
const isOpen = 'record IS NOT NULL'

/** The commands table: open commands, and what is left of closed ones that had a key. */
export const createCommandStore = (context: SqliteContext): CommandStore => {
  const { database, writes, serializer, sessionRows } = context
  const prepare = (sql: string) => prepareStatement(database, sql)
  const insert = prepare(
    `INSERT INTO commands (id, session, state, seq, created_at, key, hash, record, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const selectSame = prepare('SELECT 1 FROM commands WHERE id = ? OR key = ?')
  const setState = prepare(`UPDATE commands SET state = ? WHERE id = ? AND ${isOpen}`)
  const selectRecord = prepare(
    `SELECT record, checksum, state, id FROM commands WHERE id = ? AND ${isOpen}`,
  )
  const setRecord = prepare('UPDATE commands SET record = ?, checksum = ? WHERE id = ?')
  const close = prepare(
    `UPDATE commands SET state = ?, record = NULL, checksum = NULL
    WHERE id = ? AND ${isOpen} AND key IS NOT NULL`,
  )
  const remove = prepare(`DELETE FROM commands WHERE id = ? AND ${isOpen}`)
  const prune = prepare(
    `DELETE FROM commands WHERE record IS NULL AND (created_at < ?1 OR number <= (
      SELECT number FROM commands WHERE record IS NULL ORDER BY number DESC LIMIT 1 OFFSET ?2
    ))`,
  )

  return {
    async add(record) {
      const { id, sessionId, state, seq, createdAt, receipt } = record
      const { json, bytes } = serializer.prepare('command', record)
      const { key = null, hash = null } = receipt ?? {}
      await writes.addRecord(() => {
        const text = json()
        const { number } = sessionRows.get(sessionId)
        if (selectSame.get(id, key) !== undefined) throw commandExists(id)
        insert.run(id, number, state, seq, createdAt, key, hash, text, checksumOf(text))
      }, bytes)
    },
    setState: (ids, state) =>
      writes.add(() => {
        for (const id of ids) setState.run(state, id)
      }),
    setText: (id, text) =>
      writes.add(() => {
        const record = intactRecord<CommandRecord>(selectRecord.get(id))
        if (record) setRecord.run(...withChecksum(JSON.stringify({ ...record, text })), id)
      }, text.length),
    close: (ids, outcome) =>
      writes.add(() => {
        for (const id of ids) {
          close.run(outcome, id)
          remove.run(id)
        }
      }),
    remove: (ids) =>
      writes.add(() => {
        for (const id of ids) remove.run(id)
      }),
    ...createCommandQueries(context),
    prune: (olderThan, keep) => writes.add(() => void prune.run(olderThan, keep)),
  }
}

const createCommandQueries = ({
  database,
  sessionRows,
  reports,
  ensureOpen,
}: SqliteContext): Pick<CommandStore, 'list' | 'openSessions' | 'receipt'> => {
  const prepare = (sql: string) => prepareStatement(database, sql)
  const selectOpen = prepare(
    `SELECT record, checksum, state, id FROM commands WHERE session = ? AND ${isOpen} ORDER BY number`,
  )
  const selectSessions = prepare(
    `SELECT id FROM sessions WHERE number IN (SELECT session FROM commands WHERE ${isOpen})`,
  )
  const selectReceipt = prepare(
    `SELECT sessions.id, hash, seq, commands.state FROM commands
    JOIN sessions ON sessions.number = session WHERE key = ?`,
  )

  /** The state has a column of its own: it changes, and the record does not. */
  const recordIn = (row: unknown): CommandRecord | undefined => {
    const record = intactRecord<CommandRecord>(row)
    const id = String(columnOf(row, 3))
    if (record) return { ...record, state: columnOf(row, 2) === 'queued' ? 'queued' : 'sent' }
    reports.add({ kind: 'command', id, reason: 'A message to an agent cannot be read.' })
    return undefined
  }

  return {
    async list(sessionId) {
      ensureOpen()
      const session = sessionRows.find(sessionId)
      if (!session) return []
      return readableRows(selectOpen, session.number).rows.flatMap((row) => recordIn(row) ?? [])
    },
    async openSessions() {
      ensureOpen()
      return readableRows(selectSessions).rows.map((row) => textColumn(row))
    },
    async receipt(key) {
      ensureOpen()
      const row = selectReceipt.get(key)
      if (row === undefined) return undefined
      const state = commandStateIn(textColumn(row, 3))
      return {
        sessionId: textColumn(row),
        hash: textColumn(row, 1),
        seq: numberColumn(row, 2),
        state,
      }
    },
  }
}

const states: readonly CommandState[] = ['queued', 'sent', 'accepted', 'interrupted', 'removed']

/** Whatever the row says: a command that is stored must never run again. */
export const commandStateIn = (text: string): CommandState =>
  states.find((state) => state === text) ?? 'interrupted'
