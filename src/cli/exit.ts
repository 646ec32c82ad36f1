/** What an exit code of `sluice` means. */
export const exitCodes = { done: 0, failed: 1, usage: 2, stopped: 130 } as const
