import type { Damage } from '../damage.ts'
import { type Database, prepareStatement, readableRows, rollBack, textColumn } from './database.ts'

/** Tables with few rows each: to look at all of them takes milliseconds. */
const smallTables = [
  ...(['sessions', 'projects', 'keys', 'browsers', 'passkeys', 'settings', 'trust'] as const),
  ...(['approvals', 'commands', 'loops', 'budgets'] as const),
]

/**
 * Compares the small tables with their indices, and builds damaged indices again. A damaged index hides
 * records that are there. Returns the tables that are damaged themselves.
 */
export const checkSmallTables = (database: Database): Damage[] =>
  smallTables
    .filter((table) => !isIntact(database, table) && !rebuildIndices(database, table))
    .map((id) => ({
      kind: 'table',
      id,
      reason: `The table ${id} is damaged: some of its records may be missing.`,
    }))

const isIntact = (database: Database, table: string): boolean => {
  const check = prepareStatement(database, `PRAGMA integrity_check(${table})`)
  const { rows, isComplete } = readableRows(check)
  return isComplete && rows.length === 1 && textColumn(rows[0]) === 'ok'
}

/** Returns whether the table is intact then. If not, its indices stay as they were. */
const rebuildIndices = (database: Database, table: string): boolean => {
  try {
    database.exec(`BEGIN IMMEDIATE; REINDEX ${table}`)
    if (!isIntact(database, table)) throw new Error('The table itself is damaged.')
    database.exec('COMMIT')
    return true
  } catch {
    rollBack(database)
    return false
  }
}
