/** A wait that can be cut short. */
export interface Wait {
  /** Resolves at the time, or when the wait is ended. */
  readonly over: Promise<void>
  end(): void
}

/** The clock is looked at this often: timers stop while a machine sleeps. */
const lookMs = 30_000

/** Waits until a time, in ms since 1970. */
export const waitUntil = (time: number, now: () => number): Wait => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const left = time - now()
    if (left <= 0) resolve()
    else timer = setTimeout(look, Math.min(left, lookMs))
  }
  look()
  return {
    over: promise,
    end() {
      clearTimeout(timer)
      resolve()
    },
  }
}
