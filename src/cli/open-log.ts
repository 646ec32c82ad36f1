import { homedir } from 'node:os'
import { join } from 'node:path'
import { Fault } from '../events/fault.ts'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite.ts'

/** Where sessions are kept unless told otherwise. */
export const defaultData = (): string => join(homedir(), '.sluice')

/** Opens a data directory; one that cannot be opened is told in words. */
export const openLog = (directory: string): Promise<Log> => inWords(openSqliteLog(directory))

/** A data directory that cannot be used is no mistake of ours. */
export const inWords = async <Result>(opening: Promise<Result>): Promise<Result> => {
  try {
    return await opening
  } catch (cause) {
    if (!(cause instanceof LogFault)) throw cause
    throw new Fault('data_not_opened', cause.message, { cause })
  }
}
