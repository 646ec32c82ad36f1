/** The exit codes of `sluice`. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A run was stopped at a limit. */
  budget: 3,
  /** The log has failed: only a new process can work again. It is EX_IOERR of sysexits.h. */
  logFailed: 74,
  stopped: 130,
} as const
