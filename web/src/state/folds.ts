import { createStore, type Store } from '../lib/store.ts'

/**
 * What a person has opened or closed, by key. It lives here and not in the parts themselves,
 * since a part that is scrolled away is gone.
 */
export interface Folds extends Store<ReadonlyMap<string, boolean>> {
  set(key: string, isOpen: boolean): void
}

export const createFolds = (): Folds => {
  const store = createStore<ReadonlyMap<string, boolean>>(new Map())
  return {
    ...store,
    set: (key, isOpen) => store.update((before) => new Map(before).set(key, isOpen)),
  }
}
