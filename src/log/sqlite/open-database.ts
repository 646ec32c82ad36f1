import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '../../shared/reason.ts'
import { LogFault } from '../log-fault.ts'
import { isCorrupt, primaryCode } from './database.ts'
import { migrate } from './migrations.ts'
import { rewriteWal } from './rewrite-wal.ts'

/** The database in a data directory. */
export const databaseFile = (directory: string): string => join(directory, 'sluice.db')

/** SQLITE_ERROR: a table is missing, or the format of the file is unknown. */
const sqliteError = 1

export const unusableDirectory = (directory: string, cause: unknown): LogFault => {
  if (isCorrupt(cause) || primaryCode(cause) === sqliteError)
    return new LogFault(
      'damaged',
      `The database in ${directory} is damaged (${reasonOf(cause)}). To save what can be read, run \`sluice check --repair\`.`,
      { cause },
    )
  const message = `The data directory ${directory} cannot be used: ${reasonOf(cause)}`
  return new LogFault('unusable_directory', message, { cause })
}

/** Opens the database of a log, and brings it to the newest schema. */
export const openDatabase = (file: string): DatabaseSync => {
  rewriteWal(`${file}-wal`)
  const database = openPrivate(file)
  try {
    // NORMAL even where writes must survive a power cut: `wal-file.ts` flushes those to the disk.
    database.exec(`
      PRAGMA auto_vacuum = INCREMENTAL; -- before anything is written
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA busy_timeout = 5000;
      PRAGMA cache_size = -16384;
    `)
    migrate(database)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Opens a database that only its owner may read. SQLite gives the files beside it the same mode. */
export const openPrivate = (file: string): DatabaseSync => {
  // Never opens an existing file itself: closing the handle would release SQLite’s locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(path)) chmodSync(path, 0o600) // an older file may be readable by others
  return new DatabaseSync(file)
}
