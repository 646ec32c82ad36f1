import type { DamageKind } from '../damage.ts'
import type { SqliteContext } from './context.ts'
import { columnOf, numberColumn, prepareStatement, readableRows, readOr } from './database.ts'
import { intactRecord } from './stored-text.ts'

/** Reads of a table with the columns `number`, `id`, `record` and `checksum`. */
export interface RecordRows<Record> {
  /** The record with this id. Undefined when there is none, or when it is damaged. */
  find(id: string): Record | undefined
  /** Whether there is a row with this id, damaged or not. */
  has(id: string): boolean
  /** All records that can be read, in the order of their numbers. */
  list(): { records: Record[]; hasDamage: boolean }
  /** Deletes the rows that cannot be read. Call it inside a write. */
  removeDamaged(): void
}

/** A damaged record counts as absent: it must not open access that its original did not. */
export const createRecordRows = <Record extends { id: string }>(
  { database, reports }: Pick<SqliteContext, 'database' | 'reports'>,
  kind: DamageKind,
  table: 'browsers' | 'passkeys' | 'settings' | 'trust' | 'loops' | 'budgets' | 'keys' | 'projects',
): RecordRows<Record> => {
  const columns = 'record, checksum, id, number'
  const select = prepareStatement(database, `SELECT ${columns} FROM ${table} WHERE id = ?`)
  const selectAll = prepareStatement(database, `SELECT ${columns} FROM ${table} ORDER BY number`)
  const remove = prepareStatement(database, `DELETE FROM ${table} WHERE number = ?`)

  const recordIn = (row: unknown): Record | undefined => {
    const record = intactRecord<Record>(row)
    const id = columnOf(row, 2)
    if (record?.id === id) return record
    reports.add({
      kind,
      id: String(id),
      reason: `The ${kind} cannot be read. It counts as absent.`,
    })
    return undefined
  }

  const unreadable = (): undefined => {
    reports.add({ kind, id: '', reason: `A part of the table of ${table} cannot be read.` })
    return undefined
  }

  const read = (): { rows: unknown[]; isComplete: boolean } => {
    const found = readableRows(selectAll)
    if (!found.isComplete) unreadable()
    return found
  }

  return {
    find(id) {
      const row = readOr(() => select.get(id), unreadable)
      return row === undefined ? undefined : recordIn(row)
    },
    has: (id) => select.get(id) !== undefined,
    list() {
      const { rows, isComplete } = read()
      const records = rows.flatMap((row) => recordIn(row) ?? [])
      return { records, hasDamage: !isComplete || records.length < rows.length }
    },
    removeDamaged() {
      for (const row of read().rows) if (!recordIn(row)) remove.run(numberColumn(row, 3))
    },
  }
}
