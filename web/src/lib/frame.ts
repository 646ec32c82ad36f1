/** How long a hidden page may wait: it draws no frames. */
const hiddenMs = 250

/** Runs a job once before the next frame, however often it is asked for. */
export const createFrame = (job: () => void) => {
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
    /** Runs now what was asked for. */
    flush() {
      if (!cancel) return
      cancel()
      run()
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
