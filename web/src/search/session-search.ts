import type { SearchResult } from '../../../src/api/index.ts'
import type { Client } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore } from '../lib/store.ts'

export interface SearchState {
  readonly isSearching: boolean
  /** Of the last search that has ended, if that went well; or why it did not. */
  readonly result?: SearchResult
  readonly error?: string
}

const hitLimit = 200
const pauseMs = 250

/** Searches all sessions. What was found last stays until the next answer is there. */
export const createSessionSearch = (client: Client) => {
  const store = createStore<SearchState>({ isSearching: true })

  const look = (query: string, signal: AbortSignal) =>
    client.search(query, { limit: hitLimit, signal }).then(
      (result) => store.set({ isSearching: false, result }),
      (cause: unknown) =>
        signal.aborted || store.set({ isSearching: false, error: reasonOf(cause) }),
    )

  return {
    ...store,
    /** Begins after a moment without typing; gives its undo. */
    begin(query: string): () => void {
      const control = new AbortController()
      store.update((before) => ({ ...before, isSearching: true }))
      const timer = setTimeout(() => void look(query, control.signal), pauseMs)
      return () => {
        clearTimeout(timer)
        control.abort()
      }
    },
  }
}
