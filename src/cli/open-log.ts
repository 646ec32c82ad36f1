import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { SqliteOptions } from '../log/sqlite/context.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'

/** Where sessions are kept unless told otherwise. */
export const defaultData = (): string => join(homedir(), '.sluice')

/** What a stored event survives: `full` a power cut, `normal` the death of the process. */
export type Durability = 'full' | 'normal'

const synchronous = { full: 'FULL', normal: 'NORMAL' } as const satisfies Record<
  Durability,
  SqliteOptions['synchronous']
>

/** Opens a data directory; one that cannot be opened is told in words. */
export const openLog = (directory: string, durability: Durability = 'full'): Promise<Log> =>
  inWords(openSqliteLog(directory, { synchronous: synchronous[durability] }))

/** A data directory that cannot be used is no mistake of ours. */
export const inWords = async <Result>(opening: Promise<Result>): Promise<Result> => {
  try {
    return await opening
  } catch (cause) {
    if (!(cause instanceof LogFault)) throw cause
    throw new Fault('data_not_opened', cause.message, { cause })
  }
}
