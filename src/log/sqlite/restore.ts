import { closeSync, existsSync, linkSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freeSpaceOf } from '../../files/free-space.ts'
import { makeDirectory } from '../../files/make-directory.ts'
import { writePrivate } from '../../files/private-file.ts'
import { Fault } from '../../shared/fault.ts'
import { formatSize } from '../../shared/format-size.ts'
import { reasonOf } from '../../shared/reason.ts'
import { LogFault } from '../log-fault.ts'
import { backedUpFiles } from './backup.ts'
import { columnOf, numberColumn, prepareStatement, textColumn } from './database.ts'
import {
  copyDatabase,
  countRows,
  findDamage,
  flushFile,
  type RowCounts,
  removeDatabase,
} from './database-copy.ts'
import { lockDirectory } from './lock.ts'
import { schemaVersion } from './migrations.ts'
import { databaseFile, openPrivate } from './open-database.ts'
import { type Rewound, rewindSqlite } from './rewind.ts'

export interface RestoreOptions {
  /** The data directory. No server may have it open. */
  data: string
  /** A file that `sluice backup` has written, or any copy of a log. */
  file: string
  /** Replaces a log that is there, and keeps it beside. */
  force: boolean
  /** Restores the sessions as they were at this time, in ms since 1970. */
  at?: number | undefined
  now: number
}

export interface RestoreResult {
  sessions: number
  events: number
  /** When the backup was made, in ms since 1970. Absent when another program made the copy. */
  backedUpAt?: number
  /** Where the log is that was there before. */
  previous?: string
  /** With `at`: what the backup has of later times, and the restored log has not. */
  leftOut?: Rewound
}

/**
 * Puts a backup into a data directory. The file is checked first, and nothing is overwritten: what was
 * there gets another name. Throws a `restore_failed` fault, and then the directory is as before.
 */
export const restoreSqlite = async (options: RestoreOptions): Promise<RestoreResult> => {
  const { data, force } = options
  const file = resolve(options.file)
  checkHeader(file)
  let unlock = () => {}
  const target = databaseFile(data)
  const partial = `${target}.${process.pid}.restoring`
  try {
    makeDirectory(data)
    unlock = lockDirectory(data, openPrivate)
    if (existsSync(target) && !force)
      throw failed(
        `${data} already has a log. Choose another directory with --data, or replace the log with --force; it is then kept beside the new one.`,
      )
    const counts = await copyBackup(file, partial, data)
    const extras = takeExtras(partial)
    const leftOut = rewindTo(options.at, partial, extras.at)
    flushFile(partial)
    const previous = moveAway(data, options.now)
    renameSync(partial, target)
    for (const [name, content] of extras.files) writePrivate(join(data, name), content)
    flushFile(target)
    return {
      sessions: (counts.get('sessions') ?? 0) - (leftOut?.sessions ?? 0),
      events: (counts.get('events') ?? 0) - (leftOut?.events ?? 0),
      ...(extras.at !== undefined && { backedUpAt: extras.at }),
      ...(previous !== undefined && { previous }),
      ...(leftOut && { leftOut }),
    }
  } catch (cause) {
    throw asRestoreFault(cause)
  } finally {
    removeDatabase(partial)
    unlock()
  }
}

const rewindTo = (
  at: number | undefined,
  file: string,
  backedUpAt: number | undefined,
): Rewound | undefined => {
  if (at === undefined) return undefined
  if (backedUpAt !== undefined && at > backedUpAt)
    throw failed(
      `The backup was made at ${new Date(backedUpAt).toISOString()}, before the time to restore (${new Date(at).toISOString()}). Use a later backup, or leave out --at.`,
    )
  return rewindSqlite(file, at)
}

/** Every database begins with this text. */
const header = 'SQLite format 3\0'

const checkHeader = (file: string): void => {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw failed(`${file} is not a file.`)
  const handle = openSync(file, 'r')
  try {
    const found = Buffer.alloc(header.length)
    readSync(handle, found, 0, header.length, 0)
    if (found.toString('latin1') !== header)
      throw failed(`${file} is not a backup of Sluice: it is not a database.`)
  } finally {
    closeSync(handle)
  }
}

/** Checks a backup and copies it, by SQLite: a copy that was made with its WAL is complete then. */
const copyBackup = async (file: string, partial: string, data: string): Promise<RowCounts> => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    checkBackup(database, file)
    const free = await freeSpaceOf(data)
    const needed = statSync(file).size
    if (free !== undefined && free < needed)
      throw failed(`The log needs ${formatSize(needed)}, and ${data} has ${formatSize(free)} left.`)
    return await copyDatabase(database, partial)
  } finally {
    database.close()
  }
}

const checkBackup = (database: DatabaseSync, file: string): void => {
  const damage = damageIn(database)
  if (damage !== undefined)
    throw failed(`${file} is damaged (${damage}). Nothing was changed. Use another backup.`)
  const tables = countRows(database)
  if (schemaVersion(database) === 0 || !tables.has('sessions') || !tables.has('events'))
    throw failed(`${file} is a database, but not a backup of Sluice.`)
}

const damageIn = (database: DatabaseSync): string | undefined => {
  try {
    return findDamage(database)
  } catch (cause) {
    return reasonOf(cause)
  }
}

interface Extras {
  at: number | undefined
  files: readonly (readonly [name: string, content: Uint8Array])[]
}

/** Takes what `sluice backup` has added out of the copy. */
const takeExtras = (file: string): Extras => {
  const database = new DatabaseSync(file)
  try {
    const counts = countRows(database)
    if (!counts.has('backup_info') || !counts.has('backup_files'))
      return { at: undefined, files: [] }
    const at = numberColumn(prepareStatement(database, 'SELECT max(at) FROM backup_info').get())
    const rows = prepareStatement(database, 'SELECT name, content FROM backup_files').all()
    database.exec('DROP TABLE backup_info; DROP TABLE backup_files')
    return { at, files: rows.flatMap(fileIn) }
  } finally {
    database.close()
  }
}

/** Only files that a backup may hold: a name could lead anywhere. */
const fileIn = (row: unknown): Extras['files'] => {
  const name = textColumn(row)
  const content = columnOf(row, 1)
  const isKnown = backedUpFiles.some((each) => each === name)
  return isKnown && content instanceof Uint8Array ? [[name, content]] : []
}

/** Gives what is there another name; returns the new name of the log. */
const moveAway = (data: string, now: number): string | undefined => {
  const suffix = `.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`
  const target = databaseFile(data)
  const isThere = existsSync(target)
  if (isThere) {
    emptyWal(target)
    // A WAL that is left belongs to the old log only. With the new one, it would destroy it.
    for (const each of ['-wal', '-shm'])
      if (existsSync(`${target}${each}`))
        renameSync(`${target}${each}`, `${target}${suffix}${each}`)
    linkSync(target, `${target}${suffix}`)
  }
  for (const name of [...backedUpFiles, 'turns'])
    if (existsSync(join(data, name))) renameSync(join(data, name), join(data, `${name}${suffix}`))
  return isThere ? `${target}${suffix}` : undefined
}

/** Moves what is in the WAL into the database. A log that is too damaged for that is kept as it is. */
const emptyWal = (file: string): void => {
  try {
    const database = openPrivate(file)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
  } catch {
    // Its WAL is kept beside it.
  }
}

const failed = (message: string, cause?: unknown): Fault =>
  new Fault('restore_failed', message, { cause })

const asRestoreFault = (cause: unknown): Fault => {
  if (cause instanceof Fault) return cause
  if (cause instanceof LogFault && cause.code === 'locked')
    return failed(`${cause.message} Stop it first.`, cause)
  if (cause instanceof LogFault) return failed(cause.message, cause)
  return failed(`The restore failed: ${reasonOf(cause)}`, cause)
}
