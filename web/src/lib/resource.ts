import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from './store.ts'

/** The state of something that is fetched. */
export interface Loaded<T> {
  readonly value?: T
  readonly error?: string
  readonly isLoading: boolean
}

/** A value that is fetched on request. The previous value stays until the new one arrives. */
export interface Resource<T> extends Store<Loaded<T>> {
  /** Fetches the value, again if need be. Only the last request counts. */
  load(): void
}

export const createResource = <T>(fetch: () => Promise<T>): Resource<T> => {
  const store = createStore<Loaded<T>>({ isLoading: false })
  let requests = 0
  const load = () => {
    requests += 1
    const own = requests
    const { value } = store.get()
    store.set({ ...(value !== undefined && { value }), isLoading: true })
    fetch().then(
      (value) => own === requests && store.set({ value, isLoading: false }),
      (cause: unknown) =>
        own === requests &&
        store.update((before) => ({ ...before, isLoading: false, error: reasonOf(cause) })),
    )
  }
  return { ...store, load }
}
