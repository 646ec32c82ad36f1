/** A value that changes, in the form that React’s `useSyncExternalStore` expects. */
export interface Store<Value> {
  /** Returns the current value: the same object until the next change. */
  get(): Value
  /** Runs the listener after changes, once for those that come together; returns its undo. */
  subscribe(listener: () => void): () => void
}

/** Decides when listeners run, such as `requestAnimationFrame`. */
export type Schedule = (notify: () => void) => void

/** Listeners that run once for all changes since they last ran. */
export interface Listeners {
  subscribe(listener: () => void): () => void
  /** Schedules a notification, unless one is due already. */
  changed(): void
}

export const createListeners = (schedule: Schedule = queueMicrotask): Listeners => {
  const listeners = new Set<() => void>()
  let isDue = false
  const notify = () => {
    isDue = false
    for (const listener of [...listeners]) listener()
  }
  return {
    subscribe(listener) {
      // A function that subscribes twice is there twice, and leaves one by one.
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    changed() {
      if (isDue) return
      isDue = true
      schedule(notify)
    },
  }
}
