import { type LogHealth, type LogState, type LogStatus, okStatus } from '../log-status.ts'

/** The status of a log. The disk watch sets it; listeners and callers read it. */
export interface StatusHolder extends Pick<LogHealth, 'status' | 'onStatus'> {
  /** Sets the status. Nothing follows `failed`: only a new log can work again. */
  set(state: LogState, reason?: string): void
}

export const createStatusHolder = (now: () => number = Date.now): StatusHolder => {
  const listeners = new Set<(status: LogStatus) => void>()
  let current = okStatus

  return {
    status: () => current,
    onStatus(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(state, reason = '') {
      if (state === current.state || current.state === 'failed') return
      current = state === 'ok' ? okStatus : { state, reason, since: current.since ?? now() }
      const status = current
      // Later: the status may change in the middle of a transaction.
      queueMicrotask(() => {
        for (const listener of listeners) listener(status)
      })
    },
  }
}
