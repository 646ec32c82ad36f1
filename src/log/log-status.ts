import { LogFault } from './log-fault.ts'

/**
 * Whether a log can store what is written to it.
 *
 * - `ok`: everything is stored.
 * - `low_space`: writes still work, but the disk is almost full. No new work should start.
 * - `full`: the last write found no space on the disk.
 * - `unwritable`: the last write failed for another reason, such as a disk that is read-only.
 * - `failed`: a flush has failed. Nobody knows what is on the disk, so nothing is written any more.
 *   Only opening the log again ends this.
 * - `unreachable`: the cluster that stores the log does not answer. No new work should start, but agents
 *   go on: their events wait in a journal until the cluster is back.
 */
export type LogState = 'ok' | 'low_space' | 'full' | 'unwritable' | 'failed' | 'unreachable'

/** The state of a log, and how it came about. */
export interface LogStatus {
  readonly state: LogState
  /** What is wrong and what to do, for people. Absent when the state is `ok`. */
  readonly reason?: string
  /** When the trouble began, in ms since 1970. Absent when the state is `ok`. */
  readonly since?: number
}

/** The status of a log without trouble. */
export const okStatus: LogStatus = { state: 'ok' }

/** What a log reports about itself. */
export interface LogHealth {
  /** The status as it was last seen. */
  status(): LogStatus
  /** Looks at the disk or the cluster now, and returns the status. Call it before work that must be stored. */
  checkStatus(): Promise<LogStatus>
  /** Calls the listener when the status changes. Returns the function that ends that. */
  onStatus(listener: (status: LogStatus) => void): () => void
}

/** Throws the fault of new work if the log cannot store it. Looks at the disk first. */
export const requireWritable = async (log: Pick<LogHealth, 'checkStatus'>): Promise<void> => {
  const refusal = refusalOf(await log.checkStatus())
  if (refusal) throw refusal
}

/** The fault of new work while the log cannot store it; undefined when the log is fine. */
export const refusalOf = ({ state, reason = '' }: LogStatus): LogFault | undefined => {
  switch (state) {
    case 'ok':
      return undefined
    case 'low_space':
    case 'full':
      return new LogFault('disk_full', reason)
    case 'unwritable':
      return new LogFault('write_failed', reason)
    case 'failed':
      return new LogFault('log_failed', reason)
    case 'unreachable':
      return new LogFault('unreachable', reason)
  }
}
