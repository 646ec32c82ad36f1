export interface IdleTimerOptions {
  ms: number
  now(): number
  /** Resolves when everything that has happened is published. */
  settled(): Promise<void>
  /** Called when nothing happened for `ms`. */
  run(): void
}

/** Notices that a session has been idle for a while. */
export interface IdleTimer {
  /** Something happened: the time starts again. */
  touch(): void
  /** Stops the timer for good: a later `touch` does not start it again. */
  stop(): void
  /** When something last happened. */
  lastActive(): number
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1

export const createIdleTimer = ({ ms, now, settled, run }: IdleTimerOptions): IdleTimer => {
  let timer: NodeJS.Timeout | undefined
  let lastActive = now()
  let isStopped = false

  const clear = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const fire = async (): Promise<void> => {
    timer = undefined
    await settled()
    // The end of a run may have been published just now, and have started the timer again.
    if (timer === undefined && !isStopped) run()
  }

  return {
    touch() {
      lastActive = now()
      clear()
      if (isStopped) return
      timer = setTimeout(fire, Math.min(ms, maxTimerMs))
      timer.unref()
    },
    stop() {
      isStopped = true
      clear()
    },
    lastActive: () => lastActive,
  }
}
