import {
  createClient,
  defaultPlatform,
  type Platform,
  type StreamState,
} from '../../../src/client/index.ts'
import type { FromHub, HubConnection, HubPort, ToHub } from './messages.ts'
import { createSharedSessions } from './shared-sessions.ts'

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
  token: string,
  platform: Platform = defaultPlatform,
): Hub => {
  const ports = new Set<HubPort>()
  const retryListeners = new Set<() => void>()
  const client = createClient({
    ...platform,
    url,
    token,
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
