import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '../../shared/reason.ts'
import { createDamageCollector } from '../damage.ts'
import { LogFault } from '../log-fault.ts'
import { isCorrupt } from './database.ts'
import { findDamage, removeDatabase } from './database-copy.ts'
import { lockDirectory } from './lock.ts'
import { databaseFile, openDatabase, openPrivate, unusableDirectory } from './open-database.ts'
import { createRecordRows } from './record-rows.ts'
import { type Salvaged, salvage } from './salvage.ts'

/** What a repair did. */
export interface RepairResult {
  /** The copy of the database as it was before. */
  copy: string
  /** Present when the file itself was damaged, and a new one was made. */
  salvaged?: Salvaged
}

/**
 * Makes the database of a data directory usable again: copies it first, builds its indices again, and
 * makes a new file from what can be read if parts of the file are damaged. Records that count as
 * absent are deleted; what may decide about passkeys stays. Damaged events stay where they are. Throws
 * `locked` while a log has the directory open.
 */
export const repairSqlite = (directory: string): RepairResult => {
  const file = databaseFile(directory)
  if (!existsSync(file))
    throw new LogFault('unusable_directory', `There is no log in ${directory}.`)
  let unlock = () => {}
  try {
    unlock = lockDirectory(directory, openPrivate)
    const copy = copyFile(file)
    const isReadable = rebuildIndices(file)
    const salvaged = isReadable ? undefined : replaceFile(file)
    removeAbsentRecords(file)
    return { copy, ...(salvaged && { salvaged }) }
  } catch (cause) {
    if (isCorrupt(cause)) throw notRepairable(file, cause)
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  } finally {
    unlock()
  }
}

const notRepairable = (file: string, cause: unknown): LogFault =>
  new LogFault(
    'damaged',
    `${file} cannot be repaired (${reasonOf(cause)}). If you have a backup, run \`sluice restore --force\`.`,
    { cause },
  )

/** Copies the file with its write-ahead log, under a name with the time. */
const copyFile = (file: string): string => {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const copy = file.replace(/\.db$/, `-before-repair-${time}.db`)
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${file}${suffix}`)) continue
    copyFileSync(`${file}${suffix}`, `${copy}${suffix}`)
    chmodSync(`${copy}${suffix}`, 0o600)
  }
  return copy
}

/** Returns whether the whole file can be read afterwards. */
const rebuildIndices = (file: string): boolean => {
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(file)
    database.exec('REINDEX')
    return findDamage(database) === undefined
  } catch (cause) {
    // A repeated key makes an index impossible: SQLITE_CONSTRAINT.
    if (isCorrupt(cause) || isConstraint(cause)) return false
    throw cause
  } finally {
    database?.close()
  }
}

const isConstraint = (cause: unknown): boolean =>
  cause instanceof Error && 'errcode' in cause && Number(cause.errcode) % 256 === 19

const replaceFile = (file: string): Salvaged => {
  const target = `${file}.repaired`
  removeDatabase(target)
  padFile(file)
  const salvaged = salvageInto(target, file)
  removeDatabase(file)
  renameSync(target, file)
  removeDatabase(target)
  return salvaged
}

const salvageInto = (target: string, file: string): Salvaged => {
  try {
    return salvage(file, target)
  } catch (cause) {
    removeDatabase(target)
    throw cause
  }
}

/** Makes a file that was cut as long as its header says: SQLite reads no table of a shorter one. */
const padFile = (file: string): void => {
  const header = Buffer.alloc(32)
  const opened = openSync(file, 'r')
  readSync(opened, header, 0, header.length, 0)
  closeSync(opened)
  const size = header.readUInt16BE(16) * header.readUInt32BE(28)
  if (size > statSync(file).size && size < maxPaddedBytes) truncateSync(file, size)
}

/** The header may be damaged, too. The padding takes no space on most disks. */
const maxPaddedBytes = 2 ** 40

/** What is marked as damaged is looked at again when the log is opened and read. */
const removeAbsentRecords = (file: string): void => {
  const database = openDatabase(file)
  const parts = { database, reports: createDamageCollector() }
  try {
    database.exec('BEGIN; DELETE FROM damage WHERE seq IS NOT NULL')
    createRecordRows(parts, 'key', 'keys').removeDamaged()
    createRecordRows(parts, 'browser', 'browsers').removeDamaged()
    createRecordRows(parts, 'trust', 'trust').removeDamaged()
    createRecordRows(parts, 'project', 'projects').removeDamaged()
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}
