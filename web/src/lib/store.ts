import type { Store } from '../../../src/client/index.ts'

export type { Store } from '../../../src/client/index.ts'

/** A store whose value can be replaced. */
export interface WritableStore<T> extends Store<T> {
  /** Replaces the value; the listeners run unless it is the same. */
  set(next: T): void
  /** Replaces the value by one that is made from it. */
  update(change: (before: T) => T): void
}

export const createStore = <T>(initial: T): WritableStore<T> => {
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
