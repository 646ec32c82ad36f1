import type { StreamEvent } from '../../../src/client/index.ts'
import { createFrame } from '../lib/frame.ts'
import { createStore, type Store, type WritableStore } from '../lib/store.ts'
import { advanceSession, type FollowedSession, notFollowed, restored } from './followed-session.ts'

/** Sessions that nobody looks at any more, but that stay at hand. */
const keptLimit = 6

interface Followed {
  readonly store: WritableStore<FollowedSession>
  /** The newest state; the store gets it with the next frame. */
  latest: FollowedSession
  readers: number
}

/** The sessions that this page shows, each kept up with its stream. */
export const createFollowedSessions = (onWanted: (sessionIds: readonly string[]) => void) => {
  const followed = new Map<string, Followed>()
  const touched = new Set<Followed>()
  const frame = createFrame(() => {
    const due = [...touched]
    touched.clear()
    for (const each of due) each.store.set(each.latest)
  })

  const tellWanted = () => {
    const held = [...followed].filter(([, each]) => each.readers > 0 && !each.latest.isGone)
    onWanted(held.map(([id]) => id))
  }

  const put = (entry: Followed, session: FollowedSession) => {
    entry.latest = session
    touched.add(entry)
    frame.request()
  }

  const entryOf = (id: string): Followed => {
    const known = followed.get(id)
    if (known) return known
    const made = { store: createStore(notFollowed), latest: notFollowed, readers: 0 }
    followed.set(id, made)
    return made
  }

  /** The oldest of those that nobody looks at is forgotten. */
  const forget = () => {
    const idle = [...followed].filter(([, each]) => each.readers === 0)
    for (const [id] of idle.slice(0, -keptLimit)) followed.delete(id)
  }

  return {
    /** A session as it is now and will be, for as long as it is held. */
    of: (id: string): Store<FollowedSession> => entryOf(id).store,
    /** Follows a session until the returned undo. */
    follow(id: string): () => void {
      const entry = entryOf(id)
      entry.readers += 1
      if (entry.latest.isGone) put(entry, restored(entry.latest))
      if (entry.readers === 1) tellWanted()
      return () => {
        entry.readers -= 1
        if (entry.readers > 0) return
        followed.delete(id)
        followed.set(id, entry)
        forget()
        tellWanted()
      }
    },
    /** Takes what the stream says of a session; the page shows it with its next frame. */
    take(id: string, events: readonly StreamEvent[]): void {
      const entry = followed.get(id)
      if (!entry) return
      const after = events.reduce(advanceSession, entry.latest)
      if (after === entry.latest) return
      put(entry, after)
    },
    /** The session is no more. */
    lose(id: string): void {
      const entry = followed.get(id)
      if (entry) put(entry, { ...entry.latest, isGone: true })
    },
    /** The server has these: one that was gone is followed again. */
    listed(ids: ReadonlySet<string>): void {
      const back = [...followed].filter(([id, { latest }]) => latest.isGone && ids.has(id))
      for (const [, entry] of back) put(entry, restored(entry.latest))
      if (back.length > 0) tellWanted()
    },
    /** What is wanted, said again: to a hub that has begun anew. */
    tellWanted,
  }
}
export type FollowedSessions = ReturnType<typeof createFollowedSessions>
