import type { Client } from '../../../src/client/index.ts'
import type { StampedEvent } from '../../../src/events/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from '../lib/store.ts'

/** The events of a session that were fetched so far. */
export interface LoadedEvents {
  readonly events: readonly StampedEvent[]
  /** How many there are. */
  readonly head: number
  readonly isLoading: boolean
  readonly error?: string
}

export interface EventLog extends Store<LoadedEvents> {
  /** Fetches what is missing up to the newest. */
  load(): Promise<void>
}

const pageSize = 2000

/** A session’s events as they were stored, fetched page by page when somebody wants them. */
export const createEventLog = (client: Client, sessionId: string): EventLog => {
  const store = createStore<LoadedEvents>({ events: [], head: 0, isLoading: false })
  let loading: Promise<void> | undefined

  const fetchAll = async () => {
    store.update(({ error, ...before }) => ({ ...before, isLoading: true }))
    for (let isMoreLine = true; isMoreLine; ) {
      const { events } = store.get()
      const after = events.at(-1)?.seq ?? 0
      const page = await client.sessions.events(sessionId, { after, limit: pageSize })
      isMoreLine = page.next !== undefined && page.events.length > 0
      store.set({
        events: [...events, ...page.events],
        head: page.head,
        isLoading: isMoreLine,
      })
    }
  }

  return {
    ...store,
    load() {
      loading ??= fetchAll()
        .catch((cause: unknown) =>
          store.update((before) => ({ ...before, isLoading: false, error: reasonOf(cause) })),
        )
        .finally(() => {
          loading = undefined
        })
      return loading
    },
  }
}
