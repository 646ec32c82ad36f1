import { existsSync } from 'node:fs'
import { procTable } from './proc.ts'
import { psTable } from './ps.ts'

/** A process of this machine, as it was when the table was read. */
export interface ProcessRow {
  pid: number
  parent: number
  /** Its process group. */
  group: number
  /**
   * When it started, in the unit of the table. A pid can be reused: only pid and start time together
   * identify a process.
   */
  startedAt: number
  /** Whether it has ended, and only waits for its parent to notice. */
  isEnded: boolean
  /** The mark that it has inherited from an agent, if any; see `process-marks.ts`. */
  mark(): number | undefined
}

/** The processes of this machine. */
export interface ProcessTable {
  /** All processes. */
  rows(): ProcessRow[]
  /** All processes, read without holding up other work where that takes long. */
  readRows(): Promise<ProcessRow[]>
  /** When a process started; undefined when it has ended. */
  startTimeOf(pid: number): number | undefined
  /** Whether two start times of the same pid mean the same process. */
  isSameStart(left: number, right: number): boolean
}

/** Whether /proc lists the processes. `SLUICE_PROCESS_TABLE=ps` is for tests: it does as if not. */
export const hasProc = existsSync('/proc/self/stat') && process.env.SLUICE_PROCESS_TABLE !== 'ps'

/** The table of this machine: from /proc where it exists, else from `ps`. */
export const processTable: ProcessTable = hasProc ? procTable : psTable

/**
 * Sends a signal to a process, or to a group if the number is negative. Returns false if there is no
 * such process.
 */
export const sendSignal = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
