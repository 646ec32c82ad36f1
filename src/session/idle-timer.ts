/** Runs something when a session has rested for so long; whatever happens begins the waiting anew. */
export const createIdleTimer = (ms: number, now: () => number, run: () => void) => {
  let timer: NodeJS.Timeout | undefined
  let since = now()
  const stop = () => clearTimeout(timer)
  return {
    stop,
    touch(): void {
      since = now()
      stop()
      timer = setTimeout(run, ms)
      timer.unref()
    },
    /** When something last happened. */
    since: () => since,
  }
}
