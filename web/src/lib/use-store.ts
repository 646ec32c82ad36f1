import { useSyncExternalStore } from 'react'
import type { Store } from './store.ts'

/** The value of a store; the component renders again when it changes. */
export const useStore = <T>(store: Store<T>): T =>
  useSyncExternalStore(store.subscribe, store.get, store.get)
