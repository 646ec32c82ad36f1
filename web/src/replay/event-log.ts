import type { Client } from '../../../src/client/index.ts'
import type { StampedEvent } from '../../../src/events/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from '../lib/store.ts'

/** The events of a session that are loaded so far. */
export interface LoadedEvents {
  readonly events: readonly StampedEvent[]
  /** How many events the session has. */
  readonly head: number
  readonly isLoading: boolean
  readonly error?: string
}

/** A session’s stored events, loaded page by page on demand. */
export interface EventLog extends Store<LoadedEvents> {
  /** Loads the missing events, up to the newest. */
  load(): Promise<void>
}

const pageSize = 2000

export const createEventLog = (client: Client, sessionId: string): EventLog => {
  const store = createStore<LoadedEvents>({ events: [], head: 0, isLoading: false })
  let cursor: string | undefined
  let loading: Promise<void> | undefined

  const loadPages = async () => {
    store.update(({ error, ...loaded }) => ({ ...loaded, isLoading: true }))
    for (let hasMore = true; hasMore; ) {
      const page = await client.sessions.events(sessionId, { after: cursor, limit: pageSize })
      // After a gap, the session has other events than those that are loaded.
      const before = page.gap ? [] : store.get().events
      cursor = page.cursor
      hasMore = page.next !== undefined || (page.gap === true && page.head > 0)
      store.set({ events: [...before, ...page.events], head: page.head, isLoading: hasMore })
    }
  }

  return {
    ...store,
    load() {
      loading ??= loadPages()
        .catch((cause: unknown) =>
          store.update((loaded) => ({ ...loaded, isLoading: false, error: reasonOf(cause) })),
        )
        .finally(() => {
          loading = undefined
        })
      return loading
    },
  }
}
