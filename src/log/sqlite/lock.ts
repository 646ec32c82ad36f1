import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogFault } from '../log-fault.ts'
import type { Database } from './database.ts'

/**
 * Locks a data directory and returns the function that unlocks it. Throws `locked`. The lock is an
 * open transaction on an empty database: the system ends it with the process, however that dies, so
 * a lock is never stale.
 */
export const lockDirectory = (
  directory: string,
  open: (file: string) => Database,
): (() => void) => {
  const pidFile = pidFileIn(directory)
  const lock = open(join(directory, 'sluice.lock'))
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    throw lockedDirectory(directory, cause)
  }
  writePid(pidFile)
  return () => {
    rmSync(pidFile, { force: true })
    lock.close()
  }
}

/** The pid is only for messages: a disk that is full must not keep the log from opening. */
const writePid = (file: string): void => {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    rmSync(file, { force: true })
  }
}

/** SQLITE_BUSY */
const busyCode = 5
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && 'errcode' in cause && cause.errcode === busyCode

/** Not in the lock file itself: closing that would release the lock. */
const pidFileIn = (directory: string): string => join(directory, 'sluice.pid')

/** The process that last locked a data directory. It holds the lock only while it runs. */
export const lockHolder = (directory: string): number | undefined => {
  try {
    return Number.parseInt(readFileSync(pidFileIn(directory), 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

const lockedDirectory = (directory: string, cause: unknown): LogFault => {
  const pid = lockHolder(directory)
  return new LogFault('locked', `The data directory ${directory} is in use by ${nameOf(pid)}.`, {
    cause,
  })
}

const nameOf = (pid: number | undefined): string => {
  if (pid === undefined) return 'another process'
  return pid === process.pid ? 'this process' : `process ${pid}`
}
