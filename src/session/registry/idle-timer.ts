export interface IdleTimerOptions {
  ms: number
  now(): number
  /** Settles when all that has happened is known. */
  settled(): Promise<void>
  /** Nothing happened for so long. */
  run(): void
}

/** A longer timer would go off at once. */
const longestMs = 2 ** 31 - 1

/** Runs something when a session has rested for so long; whatever happens begins the waiting anew. */
export const createIdleTimer = ({ ms, now, settled, run }: IdleTimerOptions) => {
  let timer: NodeJS.Timeout | undefined
  let since = now()
  let isStopped = false

  const clear = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const ring = async (): Promise<void> => {
    timer = undefined
    await settled()
    // The end of a run may just have been on its way.
    if (timer === undefined && !isStopped) run()
  }

  return {
    touch(): void {
      since = now()
      clear()
      if (isStopped) return
      timer = setTimeout(ring, Math.min(ms, longestMs))
      timer.unref()
    },
    /** For good: what is still told of the session wakes nothing. */
    stop(): void {
      isStopped = true
      clear()
    },
    /** When something last happened. */
    since: () => since,
  }
}
