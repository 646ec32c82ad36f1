import type { SessionEvent } from '../../../src/client/index.ts'
import type { Snapshot } from '../../../src/events/index.ts'
import { applyEvent, fromSnapshot, type Transcript } from '../../../src/transcript/index.ts'
import { createFrame } from '../lib/frame.ts'
import { createStore, type Store, type WritableStore } from '../lib/store.ts'

/** The sessions that this page shows, each built from its events. */
export interface FollowedSessions {
  /** A session as it is now. It changes only while it is followed. */
  of(id: string): Store<FollowedSession>
  /** Follows a session until the returned function is called. */
  follow(id: string): () => void
  /**
   * Adds events to a session; the page shows them with its next frame. `cursor` is the cursor at the
   * last of them.
   */
  accept(id: string, events: readonly SessionEvent[], cursor?: string): void
  /** Marks a session as deleted or missing. */
  markGone(id: string): void
  /** Follows those sessions again that were gone: their deletion was undone. */
  restore(ids: ReadonlySet<string>): void
  /** The sessions to request from the hub. */
  wanted(): string[]
}

/** How many sessions stay in memory after the page has stopped showing them. */
const idleLimit = 6

interface Entry {
  readonly store: WritableStore<FollowedSession>
  /** The newest state; the store gets it with the next frame. */
  latest: FollowedSession
  followers: number
}

export const createFollowedSessions = (
  onWanted: (sessionIds: readonly string[]) => void,
): FollowedSessions => {
  const entries = new Map<string, Entry>()
  const changed = new Set<Entry>()
  const frame = createFrame(() => {
    const due = [...changed]
    changed.clear()
    for (const entry of due) entry.store.set(entry.latest)
  })

  const wanted = () =>
    [...entries]
      .filter(([, entry]) => entry.followers > 0 && !entry.latest.isGone)
      .map(([id]) => id)

  const update = (entry: Entry, session: FollowedSession) => {
    if (session === entry.latest) return
    entry.latest = session
    changed.add(entry)
    frame.request()
  }

  const entryOf = (id: string): Entry => {
    const existing = entries.get(id)
    if (existing) return existing
    const created = { store: createStore(notFollowed), latest: notFollowed, followers: 0 }
    entries.set(id, created)
    return created
  }

  const release = (id: string, entry: Entry) => {
    entry.followers -= 1
    if (entry.followers > 0) return
    // Now the newest of the idle ones, of which the oldest are evicted.
    entries.delete(id)
    entries.set(id, entry)
    const idle = [...entries].filter(([, each]) => each.followers === 0)
    for (const [oldest] of idle.slice(0, -idleLimit)) entries.delete(oldest)
    onWanted(wanted())
  }

  return {
    of: (id) => entryOf(id).store,
    follow(id) {
      const entry = entryOf(id)
      entry.followers += 1
      update(entry, restored(entry.latest))
      if (entry.followers === 1) onWanted(wanted())
      return () => release(id, entry)
    },
    accept(id, events, cursor) {
      const entry = entries.get(id)
      if (!entry) return
      const advanced = events.reduce(advanceSession, entry.latest)
      update(entry, advanced.cursor === cursor ? advanced : { ...advanced, cursor })
    },
    markGone(id) {
      const entry = entries.get(id)
      if (entry) update(entry, { ...entry.latest, isGone: true })
    },
    restore(ids) {
      const back = [...entries].filter(([id, { latest }]) => latest.isGone && ids.has(id))
      for (const [, entry] of back) update(entry, restored(entry.latest))
      if (back.length > 0) onWanted(wanted())
    },
    wanted,
  }
}

/** A session that the page follows. */
export interface FollowedSession {
  /** Absent until the first snapshot arrives. */
  readonly transcript?: Transcript
  /** The cursor at the last event of the transcript, if the server has sent it. */
  readonly cursor?: string | undefined
  /** How many runs have ended so far: panels load again what a run changes. */
  readonly endedRuns: number
  /** The session was deleted or does not exist. */
  readonly isGone?: true
}

export const notFollowed: FollowedSession = { endedRuns: 0 }

/** The session without `isGone`; the same object when it is not gone. */
export const restored = (session: FollowedSession): FollowedSession => {
  if (!session.isGone) return session
  const { isGone, ...rest } = session
  return rest
}

/** The session after one event; the same object when the event was applied before. */
export const advanceSession = (session: FollowedSession, event: SessionEvent): FollowedSession => {
  if (event.type === 'snapshot') return withSnapshot(session, event)
  const { transcript } = session
  if (!transcript || event.seq <= transcript.seq) return session
  const { cursor, ...rest } = session
  const after = { ...rest, transcript: applyEvent(transcript, event) }
  return event.type === 'agent_end' ? { ...after, endedRuns: session.endedRuns + 1 } : after
}

/**
 * A snapshot of the same event changes nothing, so that the page keeps its scroll position. Any other
 * replaces everything, also an older one: the server may have restored an older copy of its data.
 */
const withSnapshot = (session: FollowedSession, snapshot: Snapshot): FollowedSession => {
  const { transcript } = session
  const { cursor } = snapshot
  if (transcript && cursor !== undefined && cursor === session.cursor) return session
  const after = { ...session, transcript: fromSnapshot(snapshot), cursor }
  return transcript?.isStreaming && !snapshot.isStreaming
    ? { ...after, endedRuns: session.endedRuns + 1 }
    : after
}
