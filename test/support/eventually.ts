import { vi } from 'vitest'

/** Waits until a check passes; long, because the machine may be busy. */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 30_000, interval: 10 })
