import type { ShellRun } from './types.ts'

/** Whether an update of a shell command is its last one. */
export const hasShellEnded = ({ exitCode, cancelled }: ShellRun): boolean =>
  exitCode !== undefined || cancelled !== undefined
