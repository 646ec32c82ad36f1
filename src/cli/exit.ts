/** The exit codes of `sluice`. */
export const exitCodes = { done: 0, failed: 1, usage: 2, stopped: 130 } as const
