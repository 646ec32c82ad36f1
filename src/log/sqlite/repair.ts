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
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '../../shared/reason.ts'
import { createDamageCollector } from '../damage.ts'
import { LogFault } from '../log-fault.ts'
import { isCorrupt, primaryCode } from './database.ts'
import { findDamage, removeDatabase } from './database-copy.ts'
import { lockDirectory } from './lock.ts'
import { databaseFile, openDatabase, openPrivate, unusableDirectory } from './open-database.ts'
import { createRecordRows } from './record-rows.ts'
import { type Salvaged, salvage } from './salvage.ts'
import { isKnownSchema } from './schema-of.ts'
import { restoreSchema } from './schema-pages.ts'
import { findWrongSums } from './wrong-sums.ts'

/** What a repair did. */
export interface RepairResult {
  /** The copy of the database as it was before. */
  copy: string
  /** Present when the file itself was damaged, and a new one was made. */
  salvaged?: Salvaged
}

/**
 * Makes the database of a data directory usable again: copies it first, and makes a new
 * file from what can be read if the file itself is damaged. Records that count as
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
    const salvaged = isWhole(file) ? undefined : replaceFile(file)
    removeAbsentRecords(file)
    dropWrongSums(file)
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

/** Whether the whole file can be read, and its indices fit its tables. */
const isWhole = (file: string): boolean => {
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(file)
    return findDamage(database) === undefined
  } catch (cause) {
    if (isDamage(cause)) return false
    throw cause
  } finally {
    database?.close()
  }
}

/** Whether a table is missing or cannot be read. A version that is too new is no damage. */
const isDamage = (cause: unknown): boolean =>
  isCorrupt(cause) ||
  primaryCode(cause) === 1 ||
  (cause instanceof LogFault && cause.code === 'damaged')

const replaceFile = (file: string): Salvaged => {
  const target = `${file}.repaired`
  removeDatabase(target)
  padFile(file)
  if (!hasSchema(file) && !restoreSchema(file))
    throw notRepairable(file, new Error('its list of tables cannot be read'))
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

/** Whether the list of tables can be read, and is as this version makes it. */
const hasSchema = (file: string): boolean => {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    return isKnownSchema(database)
  } catch (cause) {
    if (isDamage(cause)) return false
    throw cause
  } finally {
    database?.close()
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

/** Wrong sums are made again from the events when the log is opened. */
const dropWrongSums = (file: string): void => {
  const database = openDatabase(file)
  try {
    const drop = database.prepare('INSERT OR IGNORE INTO spending_unfilled VALUES (?)')
    for (const { number } of findWrongSums(database)) drop.run(number)
  } finally {
    database.close()
  }
}
