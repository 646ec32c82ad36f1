import { emptyOverview, type Overview } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from '../lib/store.ts'
import { connectHub, type HubLink } from '../stream/connect.ts'
import type { FromHub, HubConnection } from '../stream/messages.ts'
import { createFollowedSessions, type FollowedSessions } from './followed-sessions.ts'

/** What the hub sends to this page. */
export interface LiveState {
  readonly connection: Store<HubConnection>
  readonly overview: Store<Overview>
  readonly followed: FollowedSessions
  /** Connects to the hub, or connects again with another page key; without one, disconnects. */
  connect(pageKey: string | undefined): void
  /** Has the hub reconnect without waiting any longer. */
  retry(): void
}

export const createLiveState = (url: string): LiveState => {
  const connection = createStore<HubConnection>({ status: 'connecting' })
  const overview = createStore(emptyOverview)
  const followed = createFollowedSessions((sessions) => hub?.send({ type: 'follow', sessions }))
  let hub: HubLink | undefined
  let connections = 0

  const disconnect = () => {
    hub?.close()
    hub = undefined
    connections += 1
  }

  const handle = (message: FromHub) => {
    switch (message.type) {
      case 'connection':
        return connection.set(message.connection)
      case 'overview':
        followed.restore(new Set(message.overview.sessions.map(({ id }) => id)))
        return overview.set(message.overview)
      case 'events':
        return followed.accept(message.sessionId, message.events, message.cursor)
      case 'gone':
        return followed.markGone(message.sessionId)
    }
  }

  const accept = (message: FromHub) => {
    try {
      handle(message)
    } catch (cause) {
      // Without this event, the page would show a session that never was.
      disconnect()
      connection.set({ status: 'stopped', detail: `Cannot show an event: ${reasonOf(cause)}` })
    }
  }

  return {
    connection,
    overview,
    followed,
    connect(pageKey) {
      disconnect()
      if (pageKey === undefined) return
      connection.set({ status: 'connecting' })
      const own = connections
      hub = connectHub({
        url,
        pageKey,
        // Messages of an earlier connection may still be on their way.
        onMessage: (message) => own === connections && accept(message),
      })
      hub.send({ type: 'follow', sessions: followed.wanted() })
    },
    retry: () => hub?.send({ type: 'retry' }),
  }
}
