/** A value that can be watched. */
export interface Store<T> {
  get(): T
  subscribe(listener: () => void): () => void
}

/** A value that can be watched and exchanged. */
export interface Cell<T> extends Store<T> {
  set(next: T): void
  update(change: (before: T) => T): void
}

/** Holds one value; tells its listeners when it is another one. */
export const createStore = <T>(initial: T): Cell<T> => {
  let value = initial
  const listeners = new Set<() => void>()
  const set = (next: T) => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of [...listeners]) listener()
  }
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
