import { vi } from 'vitest'

/** Waits until a check passes. For long: that a machine has other things to do is no failure. */
export const patiently = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 30_000, interval: 10 })
