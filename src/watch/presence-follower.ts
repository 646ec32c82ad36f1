import type { Presence } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import type { PresenceRegistry } from '../presence/presence.ts'
import type { SessionLifecycleEvent } from '../session/registry/sessions.ts'
import { presenceQueryOf } from './presence-query.ts'
import type { WatchedSessions } from './watched-sessions.ts'

/** Keeps the presence in the records of watched sessions up to date. */
export interface PresenceFollower {
  /**
   * Finds out what has become of the agents that lived when the server ended. Called again when other nodes
   * may have changed what is stored about them.
   */
  start(): Promise<void>
  /** A session that its agent has just written to is followed until its agent is gone. */
  onSession(event: SessionLifecycleEvent): void
  close(): Promise<void>
}

interface FollowerOptions {
  log: Log
  watched: Pick<WatchedSessions, 'open'>
  presence: PresenceRegistry
  /** The name of this node; only where several nodes share the log. */
  node?: string | undefined
  now?(): number
  onError(cause: unknown): void
}

/** A session that was not written to for longer is followed only if its agent lived before. */
const recentMs = 10 * 60_000
/** The most sessions that are followed at once. Those that have not been written to for longest are left. */
const maxFollowed = 200
/** So many of those that need not be followed are remembered. */
const maxRested = 10 * maxFollowed
/** The most sessions that are looked at when the server starts. */
const maxAtStart = 2000

export const createPresenceFollower = (options: FollowerOptions): PresenceFollower => {
  const { log, watched, presence, node, onError, now = Date.now } = options
  /** Those that were written to last come last. */
  const followed = new Map<string, { stop(): void; lastActivity: number }>()
  /** Sessions that need not be followed until they are written to again: when they last were. */
  const rested = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  let isClosed = false

  const leave = (id: string): void => {
    followed.get(id)?.stop()
    followed.delete(id)
  }

  const store = async (id: string, found: Presence): Promise<void> => {
    const record = await log.sessions.get(id)
    if (isClosed || !record?.watched || isSame(record.watched.presence, found)) return
    const { agent, cwd } = record
    const session = await watched.open({ agent, cwd, nativeId: record.watched.nativeId })
    if (typeof session === 'string') return leave(id)
    await session.update({ presence: found }).finally(session.release)
  }

  const note = (record: SessionRecord, found: Presence): void => {
    const { id, lastActivity = 0 } = record
    if (isFinal(found)) {
      leave(id)
      noteRest(rested, id, lastActivity)
    }
    writing = writing.then(() => store(id, found)).catch(onError)
  }

  const onRecord = (record: SessionRecord): void => {
    const query = presenceQueryOf(record)
    // The processes of another node’s machine are not seen here.
    const isHere = node === undefined || record.watched?.node === node
    if (!query || record.removedAt !== undefined || !isHere) {
      leave(record.id)
      return
    }
    const known = followed.get(record.id)
    if (known) {
      followed.delete(record.id)
      followed.set(record.id, { ...known, lastActivity: record.lastActivity ?? 0 })
    }
    if (known || !isLive(record)) return
    if (followed.size >= maxFollowed) leaveOldest()
    const stop = presence.follow(query, (found) => note(record, found))
    followed.set(record.id, { stop, lastActivity: record.lastActivity ?? 0 })
  }

  /** What it shows would be old from here on. */
  const leaveOldest = (): void => {
    const [[id, oldest] = []] = followed
    if (id === undefined || !oldest) return
    leave(id)
    noteRest(rested, id, oldest.lastActivity)
    writing = writing.then(() => store(id, { state: 'unknown' })).catch(onError)
  }

  const isLive = ({ id, lastActivity = 0, watched: from }: SessionRecord): boolean => {
    const { presence: before } = from ?? {}
    if (before && !isFinal(before)) return true
    return now() - lastActivity < recentMs && lastActivity > (rested.get(id) ?? 0)
  }

  return {
    async start() {
      for (const id of [...followed.keys()]) leave(id)
      const records = await log.sessions.list({ limit: maxAtStart })
      for (const record of records.toReversed()) if (!isClosed && record.watched) onRecord(record)
    },
    onSession(event) {
      if (isClosed) return
      if (event.type === 'session_removed') leave(event.sessionId)
      else onRecord(event.session)
    },
    async close() {
      isClosed = true
      for (const id of [...followed.keys()]) leave(id)
      await writing
    },
  }
}

const noteRest = (rested: Map<string, number>, id: string, lastActivity: number): void => {
  rested.delete(id)
  rested.set(id, lastActivity)
  const [oldest] = rested.size > maxRested ? rested.keys() : []
  if (oldest !== undefined) rested.delete(oldest)
}

/** Whether nothing would change until the session is written to again. */
const isFinal = ({ state, pid }: Presence): boolean =>
  state === 'gone' || (state === 'unknown' && pid === undefined)

const isSame = (left: Presence | undefined, right: Presence): boolean =>
  left?.state === right.state && left.pid === right.pid && left.waitingFor === right.waitingFor
