import type { Platform, SessionEvent, Watch } from '../../../src/client/index.ts'
import type { HubPort } from './messages.ts'

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
}

export const createSharedSessions = (
  watch: Pick<Watch, 'setSessions' | 'refresh'>,
  setTimer: Platform['setTimer'],
): SharedSessions => {
  const shared = new Map<string, SharedSession>()

  const open = (sessionId: string): SharedSession => {
    const opened = { ports: new Set<HubPort>(), isLoaded: false, replay: [] }
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
      port.postMessage({ type: 'events', sessionId, events: [...session.replay] })
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
      if (fresh.length === 0) return
      session.isLoaded = true
      for (const event of fresh) record(session, event)
      for (const port of session.ports)
        port.postMessage({ type: 'events', sessionId, events: fresh })
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
