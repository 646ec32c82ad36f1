import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from './store.ts'

/** Something that is fetched: what is known of it so far. */
export interface Loaded<T> {
  readonly value?: T
  readonly error?: string
  readonly isLoading: boolean
}

/** A value that is fetched when asked for, and again whenever it may have changed. */
export interface Resource<T> extends Store<Loaded<T>> {
  load(): void
}

/** What was fetched last stays until the new one is there; only the newest answer counts. */
export const createResource = <T>(fetch: () => Promise<T>): Resource<T> => {
  const store = createStore<Loaded<T>>({ isLoading: false })
  let latest = 0
  const load = () => {
    latest += 1
    const mine = latest
    const { value } = store.get()
    store.set({ ...(value !== undefined && { value }), isLoading: true })
    fetch().then(
      (value) => mine === latest && store.set({ value, isLoading: false }),
      (cause: unknown) =>
        mine === latest &&
        store.update((before) => ({ ...before, isLoading: false, error: reasonOf(cause) })),
    )
  }
  return { ...store, load }
}
