import {
  createClient,
  cursorOf,
  defaultPlatform,
  type Platform,
  type SessionEvent,
  type StreamState,
  type Watch,
} from '../../../src/client/index.ts'
import type { FromHub, HubConnection, HubPort, ToHub } from './messages.ts'

/** One connection to the server for all pages that are open. */
export interface Hub {
  /** Adds a page. It receives the state of the connection, and the overview as soon as it is there. */
  enter(port: HubPort): void
  /** Handles a message from a page. */
  accept(port: HubPort, message: ToHub): void
  /** Whether the connection has ended for good. */
  isStopped(): boolean
  /** Closes the connection. */
  close(): void
}

export const createHub = (
  url: string,
  pageKey: string,
  platform: Platform = defaultPlatform,
): Hub => {
  const ports = new Set<HubPort>()
  const retryListeners = new Set<() => void>()
  const client = createClient({
    ...platform,
    url,
    pageKey,
    // A worker does not see whether its pages are visible: they send `retry`.
    onActive(listener) {
      retryListeners.add(listener)
      return () => void retryListeners.delete(listener)
    },
  })
  const watch = client.watch({
    onSessionEvents: (sessionId, events) => sessions.publish(sessionId, events),
    onGone: (sessionId) => sessions.remove(sessionId),
  })
  const sessions = createSharedSessions(watch, platform.setTimer)

  const connection = (): FromHub => ({
    type: 'connection',
    connection: connectionOf(watch.state(), platform.now()),
  })
  const overview = (): FromHub => ({ type: 'overview', overview: watch.overview.get() })
  const broadcast = (message: FromHub) => {
    for (const port of ports) port.postMessage(message)
  }
  watch.subscribe(() => broadcast(connection()))
  watch.overview.subscribe(() => broadcast(overview()))

  return {
    enter(port) {
      ports.add(port)
      port.postMessage(connection())
      if (watch.overview.get().isLoaded) port.postMessage(overview())
    },
    accept(port, message) {
      switch (message.type) {
        case 'connect':
          return
        case 'follow':
          return sessions.show(port, message.sessions)
        case 'retry':
          for (const listener of [...retryListeners]) listener()
          return
        case 'disconnect':
          sessions.show(port, [])
          ports.delete(port)
      }
    },
    isStopped: () => watch.state().status === 'stopped',
    close: watch.close,
  }
}

const connectionOf = (state: StreamState, now: number): HubConnection => {
  switch (state.status) {
    case 'connecting':
    case 'live':
      return { status: state.status }
    case 'waiting':
      return { status: 'waiting', until: now + state.delayMs, detail: state.error.detail }
    case 'stopped': {
      const detail = state.error?.detail ?? 'The connection was closed.'
      const isDenied = state.error?.status === 401 || state.error?.status === 403
      return { status: isDenied ? 'denied' : 'stopped', detail }
    }
  }
}

/** How long a session is still followed when no page shows it: a reload finds it again. */
const lingerMs = 2000

/** How many events are stored for pages that join a session. After that, they need a new snapshot. */
const replayLimit = 2000

/** The sessions that pages show. Events are passed on as they are: each page builds the transcript. */
export interface SharedSessions {
  /** Shows these sessions on a page, and no others. */
  show(port: HubPort, sessionIds: readonly string[]): void
  /** Sends events to the pages that show their session. */
  publish(sessionId: string, events: readonly SessionEvent[]): void
  /** Drops a session that was deleted or does not exist, and notifies its pages. */
  remove(sessionId: string): void
}

interface SharedSession {
  readonly ports: Set<HubPort>
  /** Whether its snapshot has arrived. */
  isLoaded: boolean
  /** The last snapshot and all events since; empty once they are over the limit. */
  replay: SessionEvent[]
  /** The cursor at the last event. */
  cursor?: string | undefined
}

export const createSharedSessions = (
  watch: Pick<Watch, 'setSessions' | 'refresh'>,
  setTimer: Platform['setTimer'],
): SharedSessions => {
  const shared = new Map<string, SharedSession>()

  const open = (sessionId: string): SharedSession => {
    const opened: SharedSession = { ports: new Set(), isLoaded: false, replay: [] }
    shared.set(sessionId, opened)
    watch.setSessions(shared.keys())
    return opened
  }

  const join = (port: HubPort, sessionId: string) => {
    const session = shared.get(sessionId) ?? open(sessionId)
    if (session.ports.has(port)) return
    session.ports.add(port)
    if (!session.isLoaded) return
    if (session.replay.length > 0) {
      const { replay, cursor } = session
      port.postMessage({ type: 'events', sessionId, events: [...replay], cursor })
      return
    }
    session.isLoaded = false
    watch.refresh(sessionId)
  }

  const leave = (port: HubPort, sessionId: string, session: SharedSession) => {
    if (!session.ports.delete(port) || session.ports.size > 0) return
    setTimer(() => {
      if (session.ports.size > 0 || shared.get(sessionId) !== session) return
      shared.delete(sessionId)
      watch.setSessions(shared.keys())
    }, lingerMs)
  }

  return {
    show(port, sessionIds) {
      for (const [id, session] of shared) if (!sessionIds.includes(id)) leave(port, id, session)
      for (const id of sessionIds) join(port, id)
    },
    publish(sessionId, events) {
      const session = shared.get(sessionId)
      if (!session) return
      const fresh = session.isLoaded ? events : fromSnapshotOn(events)
      const last = fresh.at(-1)
      if (!last) return
      session.isLoaded = true
      session.cursor = cursorOf(last)
      for (const event of fresh) record(session, event)
      for (const port of session.ports)
        port.postMessage({ type: 'events', sessionId, events: fresh, cursor: session.cursor })
    },
    remove(sessionId) {
      const session = shared.get(sessionId)
      if (!session) return
      shared.delete(sessionId)
      for (const port of session.ports) port.postMessage({ type: 'gone', sessionId })
    },
  }
}

/** An approval may come before the snapshot that already contains it. */
const fromSnapshotOn = (events: readonly SessionEvent[]): readonly SessionEvent[] => {
  const index = events.findIndex(({ type }) => type === 'snapshot')
  return index === -1 ? [] : events.slice(index)
}

const record = (session: SharedSession, event: SessionEvent): void => {
  const { replay } = session
  if (event.type === 'snapshot') session.replay = [event]
  else if (replay.length >= replayLimit) session.replay = []
  else if (replay.length > 0) replay.push(event)
}
