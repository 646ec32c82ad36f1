import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatSize } from '../../shared/format-size.ts'
import { LogFault } from '../log-fault.ts'
import { type Database, numberColumn, prepareStatement } from './database.ts'
import { lockDirectory } from './lock.ts'
import { databaseFile, openDatabase, openPrivate, unusableDirectory } from './open-database.ts'
import { createSpaceMeter } from './space.ts'

/** What `PRAGMA auto_vacuum` returns for INCREMENTAL. */
const incremental = 2

/** Whether a database can give its free pages back to the disk. Those of older versions cannot. */
export const canReclaim = (database: Database): boolean =>
  numberColumn(prepareStatement(database, 'PRAGMA auto_vacuum').get()) === incremental

/** Up to this size, a database of an older version is rewritten when it is opened: under a second. */
const smallBytes = 32 * 1024 * 1024

/**
 * Rewrites a small database of an older version, so that it can give space back. If that fails, the
 * database stays as it is.
 */
export const compactIfSmall = (database: Database, file: string): void => {
  if (canReclaim(database) || statSync(file).size > smallBytes || !hasRoom(file)) return
  try {
    rewrite(database)
  } catch {
    // The next start tries again. Meanwhile, free pages are used for new events.
  }
}

export interface CompactResult {
  /** The size of the database file before and after, in bytes. */
  before: number
  after: number
}

/**
 * Rewrites the database of a data directory without its free pages. Throws `locked` while a log has it
 * open, `unusable_directory` when there is no database or not enough space. An interrupted one changes
 * nothing.
 */
export const compactSqlite = (directory: string): CompactResult => {
  const file = databaseFile(directory)
  const before = statSync(file, { throwIfNoEntry: false })?.size
  if (before === undefined)
    throw new LogFault('unusable_directory', `There is no log in ${directory}.`)
  let unlock = () => {}
  let database: Database | undefined
  try {
    unlock = lockDirectory(directory, openPrivate)
    database = openDatabase(file)
    const { usedBytes } = createSpaceMeter(database, file)()
    const needed = usedBytes * copies
    if (!hasRoom(file, needed)) throw noRoom(directory, needed)
    rewrite(database)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return { before, after: statSync(file).size }
  } catch (cause) {
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  } finally {
    database?.close()
    unlock()
  }
}

/** VACUUM writes a copy of what is used to a temporary file, and from there to the WAL. */
const copies = 2

const rewrite = (database: Database): void => {
  // Only VACUUM changes the mode of a database that has tables.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
}

const hasRoom = (file: string, needed = statSync(file).size * copies): boolean => {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize > needed
}

const noRoom = (directory: string, needed: number): LogFault =>
  new LogFault(
    'unusable_directory',
    `Compacting needs ${formatSize(needed)} of free space on the disk of ${directory}, for a while. Free some space, or delete sessions first.`,
  )
