import { reasonOf } from '../../shared/reason.ts'
import { LogFault } from '../log-fault.ts'
import type { LogState } from '../log-status.ts'
import { isCorrupt } from './database.ts'

/** What SQLite’s errors mean for the whole log, by their primary code. Others concern one write. */
const stateByCode: Readonly<Record<number, LogState>> = {
  3: 'unwritable', // SQLITE_PERM
  5: 'unwritable', // SQLITE_BUSY
  6: 'unwritable', // SQLITE_LOCKED
  8: 'unwritable', // SQLITE_READONLY
  10: 'unwritable', // SQLITE_IOERR
  13: 'full', // SQLITE_FULL
  14: 'unwritable', // SQLITE_CANTOPEN
}

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC: after them, nobody knows what is on the disk. */
const flushCodes: readonly number[] = [1034, 1290]

/** SQLITE_IOERR_SHMSIZE: there is no space for the index of the WAL. */
const shmSizeCode = 4874

/** The state that an error of the database puts the log into; `ok` when it concerns one write. */
export const stateAfter = (cause: unknown): LogState => {
  const code = sqliteCode(cause)
  if (code === undefined) return 'ok'
  if (flushCodes.includes(code)) return 'failed'
  return code === shmSizeCode ? 'full' : (stateByCode[code & 0xff] ?? 'ok')
}

/** Whether an error of the database or of a file says that the disk is full. */
export const isFullError = (cause: unknown): boolean =>
  stateAfter(cause) === 'full' ||
  (cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')

const sqliteCode = (cause: unknown): number | undefined =>
  cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number'
    ? cause.errcode
    : undefined

/** The fault of a write that the database could not carry out. */
export const writeFault = (cause: unknown): LogFault => {
  if (cause instanceof LogFault) return cause
  switch (stateAfter(cause)) {
    case 'full':
      return new LogFault('disk_full', fullReason, { cause })
    case 'failed':
      return flushFault(cause)
    default:
      return new LogFault('write_failed', unwritableReason(cause), { cause })
  }
}

/** The fault of every write after a flush has failed. */
export const flushFault = (cause: unknown): LogFault =>
  new LogFault(
    'log_failed',
    `The disk could not store the log (${reasonOf(cause)}). Nothing more is written. Check the disk, then restart Sluice.`,
    { cause },
  )

const fullReason = 'The disk is full. Free some space: Sluice continues by itself.'

const unwritableReason = (cause: unknown): string =>
  isCorrupt(cause)
    ? `The log could not be written, because its file is damaged (${reasonOf(cause)}). Stop the server and run \`sluice check --repair\`.`
    : `The log could not be written (${reasonOf(cause)}). Check the disk and the permissions of the data directory.`
