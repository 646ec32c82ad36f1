/** When the next events of a replay are shown. */
export interface ReplayClock {
  /** Resolves when the time between two events has passed, or at once while a step is shown. */
  pass(ms: number): Promise<void>
  /** The end of a step was shown. */
  stepDone(): Promise<void>
  /** Starts or stops the time. */
  togglePause(): void
  /** Shows one more step, then stops the time. */
  step(): void
  faster(factor: number): void
  isPaused(): boolean
  /** Ends all waits. */
  stop(): void
  isStopped(): boolean
}

/** Longer pauses are shortened to this. */
const longestPauseMs = 2000
const slowest = 0.1
const fastest = 100

/** Speed 0: no waits. */
export const createReplayClock = (firstSpeed: number, startPaused: boolean): ReplayClock => {
  let speed = firstSpeed
  let isPaused = startPaused
  /** A step is shown at once, also while the time stands still. */
  let isStepping = false
  let isStopped = false
  let wake = () => {}

  const untilWoken = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const whilePaused = async () => {
    while (isPaused && !isStepping && !isStopped) await untilWoken()
  }

  return {
    async pass(ms) {
      await whilePaused()
      if (isStepping || isStopped || speed === 0) return
      let left = Math.min(ms, longestPauseMs)
      while (left > 0 && !isStopped && !isStepping) {
        const start = performance.now()
        await untilWoken(left / speed)
        left -= (performance.now() - start) * speed
        await whilePaused()
      }
    },
    async stepDone() {
      isStepping = false
      await whilePaused()
    },
    togglePause() {
      isPaused = !isPaused
      wake()
    },
    step() {
      isPaused = true
      isStepping = true
      wake()
    },
    faster(factor) {
      speed = Math.min(fastest, Math.max(slowest, (speed || 1) * factor))
      wake()
    },
    isPaused: () => isPaused,
    stop() {
      isStopped = true
      wake()
    },
    isStopped: () => isStopped,
  }
}
