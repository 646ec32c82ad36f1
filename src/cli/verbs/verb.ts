import type { Terminal } from '../terminal.ts'

/** What every verb gets, and where it leaves its exit code. */
export interface CliContext {
  readonly terminal: Terminal
  /** Aborted when nobody reads stdout any more. */
  readonly closed: AbortSignal
  exitCode: number
}
