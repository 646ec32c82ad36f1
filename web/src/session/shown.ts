import type { Transcript } from '../../../src/transcript/index.ts'
import type { Store } from '../lib/store.ts'
import type { ReplayState } from '../replay/replay.ts'
import type { FollowedSession } from '../state/followed-session.ts'

/** A session as it is now. */
export const nowOf = (session: Store<FollowedSession>): Store<Transcript | undefined> => ({
  get: () => session.get().transcript,
  subscribe: session.subscribe,
})

/** What a page shows of a session: a moment of its past, or else how it is now. */
export const shownOf = (
  session: Store<FollowedSession>,
  past: Store<ReplayState>,
): Store<Transcript | undefined> => ({
  get: () => past.get().transcript ?? session.get().transcript,
  subscribe(listener) {
    const undo = [session.subscribe(listener), past.subscribe(listener)]
    return () => {
      for (const each of undo) each()
    }
  },
})
