/** A job that runs once before the next frame, however often it is requested. */
export interface FrameJob {
  /** Runs the job before the next frame. */
  request(): void
  /** Cancels a request. */
  stop(): void
}

/** A hidden page draws no frames: its job runs after this long. */
const hiddenMs = 250

export const createFrame = (job: () => void): FrameJob => {
  let cancel: (() => void) | undefined
  const run = () => {
    cancel = undefined
    job()
  }
  return {
    request() {
      if (cancel) return
      if (document.hidden) {
        const timer = setTimeout(run, hiddenMs)
        cancel = () => clearTimeout(timer)
        return
      }
      const frame = requestAnimationFrame(run)
      cancel = () => cancelAnimationFrame(frame)
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
