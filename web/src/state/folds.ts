import { createStore, type Store } from '../lib/store.ts'

/**
 * What a person has opened or closed, by key. It lives here and not in the parts themselves,
 * since a part that is scrolled away is gone.
 */
export interface Folds extends Store<ReadonlyMap<string, boolean>> {
  put(key: string, isOpen: boolean): void
}

export const createFolds = (): Folds => {
  const store = createStore<ReadonlyMap<string, boolean>>(new Map())
  return {
    ...store,
    put: (key, isOpen) => store.update((before) => new Map(before).set(key, isOpen)),
  }
}
