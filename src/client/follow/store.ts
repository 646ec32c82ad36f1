/** A value that changes, as `useSyncExternalStore` of React and others like it take it. */
export interface Store<Value> {
  /** A new object after every change, and the same one until then. */
  get(): Value
  /** Told after changes, once for all that came together; gives its undo. */
  subscribe(listener: () => void): () => void
}

/** Puts off the telling, so that changes which come together are told once. */
export type Schedule = (tell: () => void) => void

/** Listeners that are told once for all changes since they were told last. */
export const createListeners = (schedule: Schedule = queueMicrotask) => {
  const listeners = new Set<() => void>()
  let isDue = false
  const tell = () => {
    isDue = false
    for (const listener of [...listeners]) listener()
  }
  return {
    subscribe(listener: () => void): () => void {
      // One function may subscribe twice, and then leaves twice.
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    changed(): void {
      if (isDue) return
      isDue = true
      schedule(tell)
    },
  }
}
