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
  const holder = join(directory, 'sluice.pid') // a file of its own: the locked one stays closed
  const lock = open(join(directory, 'sluice.lock'))
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    const message = `The data directory ${directory} is in use by ${nameOf(holder)}.`
    throw new LogFault('locked', message, { cause })
  }
  writeFileSync(holder, `${process.pid}\n`)
  return () => {
    rmSync(holder, { force: true })
    lock.close()
  }
}

const busy = 5 // SQLITE_BUSY
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && 'errcode' in cause && cause.errcode === busy

/** For people only: what is written there is not checked. */
const nameOf = (holder: string): string => {
  try {
    const pid = readFileSync(holder, 'utf8').trim()
    return pid === String(process.pid) ? 'this process' : `process ${pid}`
  } catch {
    return 'another process'
  }
}
