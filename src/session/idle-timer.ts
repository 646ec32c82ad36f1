import type { StampedEvent } from '../events/envelope.ts'

/** Runs something when a session has rested for so long; every run begins the waiting anew. */
export const createIdleTimer = (ms: number, run: () => void) => {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    stop,
    note(event: StampedEvent): void {
      if (event.type === 'agent_start') stop()
      if (event.type !== 'agent_end') return
      stop()
      timer = setTimeout(run, ms)
      timer.unref()
    },
  }
}
