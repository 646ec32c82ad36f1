import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { SqliteOptions } from '../log/sqlite/context.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { isHalfMoved } from '../move/move-mark.ts'
import { Fault } from '../shared/fault.ts'

/** What a stored event survives: `full` a power cut, `normal` a crash of the process. */
export type Durability = 'full' | 'normal'

/** How a log is opened. */
export interface LogOptions {
  durability?: Durability | undefined
  /** How much of the disk must stay free. */
  minFree?: SqliteOptions['minFree']
}

const synchronous = { full: 'FULL', normal: 'NORMAL' } as const satisfies Record<
  Durability,
  SqliteOptions['synchronous']
>

/** Opens the log of a data directory. */
export const openLog = (
  directory: string,
  { durability = 'full', minFree = 'auto' }: LogOptions = {},
): Promise<Log> =>
  asDataFault(
    openSqliteLog(directory, { synchronous: synchronous[durability], minFree }).then(requireWhole),
  )

/** Returns a log that can be served. Closes one that a move has not filled yet, and throws `half_moved`. */
export const requireWhole = async <Opened extends Log>(log: Opened): Promise<Opened> => {
  if (!(await isHalfMoved(log))) return log
  await log.close()
  throw new LogFault(
    'half_moved',
    'A move into this log is not complete. Run the same `sluice migrate` again, and start the server then.',
  )
}

/** Turns a `LogFault` into a `data_not_opened` fault: the directory is at fault, not the program. */
export const asDataFault = async <Result>(opening: Promise<Result>): Promise<Result> => {
  try {
    return await opening
  } catch (cause) {
    throw dataFaultOf(cause)
  }
}

/** The `data_not_opened` fault of a `LogFault`. Anything else stays as it is. */
export const dataFaultOf = (cause: unknown): unknown => {
  if (!(cause instanceof LogFault)) return cause
  const hint = cause.code === 'locked' ? ' Stop it, or choose another directory with --data.' : ''
  return new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
}
