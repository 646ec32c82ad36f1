import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogFault } from '../log-fault.ts'
import type { Database } from './database.ts'

/**
 * Takes a data directory for one log; gives back how to let go of it. The lock is a transaction
 * that stays open on an empty database: the system ends it with the process, however that dies, so
 * there is no stale lock and no race for one.
 */
export const lockDirectory = (
  directory: string,
  open: (file: string) => Database,
): (() => void) => {
  const holder = holderFile(directory)
  const lock = open(join(directory, 'sluice.lock'))
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    const message = `The data directory ${directory} is in use by ${nameOf(directory)}.`
    throw new LogFault('locked', message, { cause })
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 })
  return () => {
    rmSync(holder, { force: true })
    lock.close()
  }
}

const busy = 5 // SQLITE_BUSY
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && 'errcode' in cause && cause.errcode === busy

/** A file of its own: the locked one stays closed. */
const holderFile = (directory: string) => join(directory, 'sluice.pid')

/** Which process has the directory, by what it wrote: true only while it is locked. */
export const holderOf = (directory: string): number | undefined => {
  try {
    return Number.parseInt(readFileSync(holderFile(directory), 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

/** For people only: what is written there is not checked. */
const nameOf = (directory: string): string => {
  const pid = holderOf(directory)
  if (pid === undefined) return 'another process'
  return pid === process.pid ? 'this process' : `process ${pid}`
}
