import { createStore, type Store } from '../lib/store.ts'

/**
 * The parts that a person has opened or closed, by key. Components cannot hold this themselves: they
 * are unmounted when they are scrolled out of view.
 */
export interface Folds extends Store<ReadonlyMap<string, boolean>> {
  /** Opens or closes a part. */
  set(key: string, isOpen: boolean): void
}

export const createFolds = (): Folds => {
  const store = createStore<ReadonlyMap<string, boolean>>(new Map())
  return {
    ...store,
    set: (key, isOpen) => store.update((before) => new Map(before).set(key, isOpen)),
  }
}
