import {
  createClient,
  type ManyEvent,
  type StreamEvent,
  type StreamState,
  type TranscriptStore,
} from '../../../src/client/index.ts'
import { toSnapshot } from '../../../src/transcript/index.ts'
import type { FromHub, HubConnection, ToHub } from './messages.ts'

/** What the hub needs of a port to a page. */
export interface HubPort {
  postMessage(message: FromHub): void
}

/** A session that at least one page shows. */
interface Shared {
  readonly store: TranscriptStore
  readonly ports: Set<HubPort>
}

/** How long a session is still followed when no page shows it: a reload comes back at once. */
const lingerMs = 2000

/** One connection to the server for all pages that are open. */
export const createHub = (url: string, token: string) => {
  const wakers = new Set<() => void>()
  const client = createClient({
    url,
    token,
    onActive(listener) {
      wakers.add(listener)
      return () => void wakers.delete(listener)
    },
  })
  const ports = new Set<HubPort>()
  const shared = new Map<string, Shared>()
  const tellAll = (message: FromHub) => {
    for (const port of ports) port.postMessage(message)
  }
  const following = client.followAll({
    onEvents(events) {
      for (const [sessionId, own] of bySession(events))
        for (const port of shared.get(sessionId)?.ports ?? [])
          port.postMessage({ type: 'events', sessionId, events: own })
    },
  })
  const connection = (): FromHub => ({
    type: 'connection',
    connection: connectionOf(following.state()),
  })
  following.subscribe(() => tellAll(connection()))
  following.overview.subscribe(() =>
    tellAll({ type: 'overview', overview: following.overview.get() }),
  )

  const open = (sessionId: string): Shared => {
    const pages = new Set<HubPort>()
    const store = following.follow(sessionId)
    store.subscribe(() => {
      if (store.state().status !== 'stopped' || following.state().status === 'stopped') return
      // Whoever wants it again, after an undo, gets a store that lives.
      if (shared.get(sessionId) === made) shared.delete(sessionId)
      for (const port of pages) port.postMessage({ type: 'gone', sessionId })
    })
    const made = { store, ports: pages }
    shared.set(sessionId, made)
    return made
  }

  const join = (port: HubPort, sessionId: string) => {
    const { store, ports: pages } = shared.get(sessionId) ?? open(sessionId)
    if (pages.has(port)) return
    pages.add(port)
    if (!store.isLoaded()) return
    const snapshot = toSnapshot(store.get(), { projectId: '' })
    port.postMessage({ type: 'events', sessionId, events: [snapshot] })
  }

  const part = (port: HubPort, sessionId: string) => {
    const left = shared.get(sessionId)
    if (!left?.ports.delete(port) || left.ports.size > 0) return
    setTimeout(() => {
      if (left.ports.size > 0 || shared.get(sessionId) !== left) return
      shared.delete(sessionId)
      left.store.close()
    }, lingerMs)
  }

  return {
    enter(port: HubPort): void {
      ports.add(port)
      port.postMessage(connection())
      const overview = following.overview.get()
      if (overview.isLoaded) port.postMessage({ type: 'overview', overview })
    },
    take(port: HubPort, message: ToHub): void {
      switch (message.type) {
        case 'hello':
          return
        case 'wake':
          for (const waker of [...wakers]) waker()
          return
        case 'want':
          for (const id of shared.keys()) if (!message.sessions.includes(id)) part(port, id)
          for (const id of message.sessions) join(port, id)
          return
        case 'leave':
          for (const id of shared.keys()) part(port, id)
          ports.delete(port)
      }
    },
    /** It will not try again by itself. */
    isOver: () => following.state().status === 'stopped',
    close: () => following.close(),
  }
}
export type Hub = ReturnType<typeof createHub>

/** Events apart by the session that they are of; what is of none is in the overview already. */
const bySession = (events: readonly ManyEvent[]): Map<string, StreamEvent[]> => {
  const apart = new Map<string, StreamEvent[]>()
  for (const event of events) {
    if (!('seq' in event)) continue
    const own = apart.get(event.sessionId)
    if (own) own.push(event)
    else apart.set(event.sessionId, [event])
  }
  return apart
}

const connectionOf = (state: StreamState): HubConnection => {
  switch (state.status) {
    case 'connecting':
    case 'live':
      return { status: state.status }
    case 'waiting':
      return {
        status: 'waiting',
        until: Date.now() + state.delayMs,
        detail: state.error.detail,
      }
    case 'stopped': {
      const detail = state.error?.detail ?? 'Closed.'
      const isDenied = state.error?.status === 401 || state.error?.status === 403
      return { status: isDenied ? 'denied' : 'stopped', detail }
    }
  }
}
