import { existsSync, realpathSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freeSpaceOf } from '../../files/free-space.ts'
import { readPrivate } from '../../files/private-file.ts'
import { Fault } from '../../shared/fault.ts'
import { formatSize } from '../../shared/format-size.ts'
import { reasonOf } from '../../shared/reason.ts'
import { LogFault } from '../log-fault.ts'
import {
  copyDatabase,
  countRows,
  findDamage,
  flushFile,
  type RowCounts,
  removeDatabase,
} from './database-copy.ts'
import { schemaVersion } from './migrations.ts'
import { databaseFile } from './open-database.ts'
import { createSpaceMeter } from './space.ts'

/** The files of a data directory that a backup holds beside the log. */
export const backedUpFiles = ['policies.json'] as const

export interface BackupOptions {
  /** The data directory. A server may have it open. */
  data: string
  /** The file to write. */
  file: string
  /** Replaces a file that exists. */
  force: boolean
  /** The version of this program. */
  version: string
  now: number
  /** Called with the share that is copied, from 0 to 1. */
  onProgress?(share: number): void
}

/** What a backup holds. */
export interface BackupContent {
  bytes: number
  sessions: number
  events: number
  blobs: number
}

/**
 * Copies the log of a data directory, with the stored rules, into one file. It is consistent while a
 * server writes, checked, and readable by its owner only; it appears under its name when it is
 * complete. Throws a `backup_failed` fault.
 */
export const backUpSqlite = async (options: BackupOptions): Promise<BackupContent> => {
  const file = resolve(options.file)
  const source = databaseFile(options.data)
  if (!existsSync(source)) throw failed(`There is no log in ${options.data}.`)
  checkTarget(file, options)
  const partial = `${file}.${process.pid}.partial`
  const removePartial = () => removeDatabase(partial)
  process.once('exit', removePartial) // a signal may end the process meanwhile
  try {
    const counts = await copyLog(source, partial, options)
    addFiles(partial, options)
    checkCopy(partial, counts)
    flushFile(partial)
    renameSync(partial, file)
    flushFile(file)
    return contentOf(file, counts)
  } catch (cause) {
    throw cause instanceof Fault ? cause : failed(`The backup failed: ${reasonOf(cause)}`, cause)
  } finally {
    removePartial()
    process.off('exit', removePartial)
  }
}

const checkTarget = (file: string, { data, force }: BackupOptions): void => {
  const directory = dirname(file)
  const stats = statSync(directory, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) throw failed(`The directory ${directory} does not exist.`)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw failed(`${file} is a directory. Give the name of a file.`)
  const isOwnFile =
    realpathSync(directory) === realpathSync(data) && basename(file).startsWith('sluice.')
  if (isOwnFile) throw failed(`${file} belongs to the data directory. Choose another name.`)
  if (found && !force)
    throw failed(`${file} exists. Choose another name, or replace it with --force.`)
}

/** Copies the log, and returns how many rows the copy must have. */
const copyLog = async (
  source: string,
  target: string,
  { onProgress }: BackupOptions,
): Promise<RowCounts> => {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 })
  try {
    schemaVersion(database)
    const { usedBytes, freeBytes } = createSpaceMeter(database, source)()
    const free = await freeSpaceOf(dirname(target))
    const needed = usedBytes + freeBytes
    if (free !== undefined && free < needed)
      throw failed(
        `The backup needs ${formatSize(needed)}, and ${dirname(target)} has ${formatSize(free)} left.`,
      )
    return await copyDatabase(database, target, onProgress)
  } catch (cause) {
    if (cause instanceof LogFault) throw failed(cause.message, cause)
    throw cause
  } finally {
    database.close()
  }
}

/** Puts the other files into the copy, so that a backup is one file. */
const addFiles = (file: string, { data, version, now }: BackupOptions): void => {
  const database = new DatabaseSync(file)
  try {
    // Without a WAL, the file is complete in itself.
    database.exec(`
      PRAGMA journal_mode = DELETE;
      DROP TABLE IF EXISTS backup_info;
      DROP TABLE IF EXISTS backup_files;
      CREATE TABLE backup_info (at INTEGER NOT NULL, version TEXT NOT NULL) STRICT;
      CREATE TABLE backup_files (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
    `)
    database.prepare('INSERT INTO backup_info VALUES (?, ?)').run(now, version)
    const insert = database.prepare('INSERT INTO backup_files VALUES (?, ?)')
    for (const name of backedUpFiles) {
      const content = readPrivate(join(data, name))
      if (content) insert.run(name, content)
    }
  } finally {
    database.close()
  }
}

const checkCopy = (file: string, expected: RowCounts): void => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const damage = findDamage(database)
    if (damage !== undefined)
      throw failed(
        `The log is damaged (${damage}), and so would be its copy. Run \`sluice check\` to see what is affected.`,
      )
    const found = countRows(database)
    for (const [table, count] of expected)
      if (found.get(table) !== count)
        throw failed(`The copy has ${found.get(table)} of ${count} rows of ${table}.`)
  } finally {
    database.close()
  }
}

const contentOf = (file: string, counts: RowCounts): BackupContent => ({
  bytes: statSync(file).size,
  sessions: counts.get('sessions') ?? 0,
  events: counts.get('events') ?? 0,
  blobs: counts.get('blobs') ?? 0,
})

const failed = (message: string, cause?: unknown): Fault =>
  new Fault('backup_failed', message, { cause })
