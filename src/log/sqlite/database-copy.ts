import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { numberColumn, prepareStatement, textColumn } from './database.ts'

/** How many rows each table has. */
export type RowCounts = ReadonlyMap<string, number>

/** Pages that are copied at once, between which progress is reported. */
const pagesPerStep = 10_000

/**
 * Copies a database to a new file that only its owner may read, and returns the row counts of the state
 * that was copied. Others may write meanwhile: the copy is the state at the start, because it is read
 * in one transaction.
 */
export const copyDatabase = async (
  source: DatabaseSync,
  target: string,
  onProgress: (share: number) => void = () => {},
): Promise<RowCounts> => {
  source.exec('BEGIN')
  try {
    const counts = countRows(source)
    closeSync(openSync(target, 'wx', 0o600))
    await backup(source, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    })
    return counts
  } finally {
    source.exec('ROLLBACK')
  }
}

/** How many rows the tables of a database have. */
export const countRows = (database: DatabaseSync): RowCounts => {
  const tables = prepareStatement(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )
  return new Map(
    tables.all().map((row) => {
      const name = textColumn(row)
      const count = prepareStatement(database, `SELECT count(*) FROM "${name}"`)
      return [name, numberColumn(count.get())] as const
    }),
  )
}

/** The first thing that is wrong with a database; undefined when nothing is. */
export const findDamage = (database: DatabaseSync): string | undefined => {
  const first = textColumn(prepareStatement(database, 'PRAGMA integrity_check(1)').get())
  return first === 'ok' ? undefined : first
}

/** Deletes a database that is not open, with the files that SQLite may have left beside it. */
export const removeDatabase = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

/** Resolves when a file, and its name in its directory, would survive a power cut. */
export const flushFile = (path: string): void => {
  for (const each of [path, dirname(path)]) {
    const handle = openSync(each, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  }
}
