import type { SearchResult } from '../../../src/api/index.ts'
import type { Client } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from '../lib/store.ts'

export interface SearchState {
  readonly isSearching: boolean
  /** The result of the last search that succeeded. */
  readonly result?: SearchResult
  /** Why the last search failed. */
  readonly error?: string
}

/** A search in all sessions. The last result stays until the next one arrives. */
export interface SessionSearch extends Store<SearchState> {
  /** Starts a search after a short pause in typing; returns a function that cancels it. */
  start(query: string): () => void
}

const hitLimit = 200
const pauseMs = 250

export const createSessionSearch = (client: Client): SessionSearch => {
  const store = createStore<SearchState>({ isSearching: true })

  const search = (query: string, signal: AbortSignal) =>
    client.search(query, { limit: hitLimit, signal }).then(
      (result) => store.set({ isSearching: false, result }),
      (cause: unknown) =>
        signal.aborted || store.set({ isSearching: false, error: reasonOf(cause) }),
    )

  return {
    ...store,
    start(query) {
      const control = new AbortController()
      store.update((state) => ({ ...state, isSearching: true }))
      const timer = setTimeout(() => void search(query, control.signal), pauseMs)
      return () => {
        clearTimeout(timer)
        control.abort()
      }
    },
  }
}
