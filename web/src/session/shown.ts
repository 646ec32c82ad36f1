import type { Transcript } from '../../../src/transcript/index.ts'
import type { Store } from '../lib/store.ts'
import type { Past } from '../past/past.ts'
import type { Live } from '../state/followed-session.ts'

/** A session as it is now. */
export const nowOf = (live: Store<Live>): Store<Transcript | undefined> => ({
  get: () => live.get().transcript,
  subscribe: live.subscribe,
})

/** What a page shows of a session: a moment of its past, or else how it is now. */
export const shownOf = (live: Store<Live>, past: Store<Past>): Store<Transcript | undefined> => ({
  get: () => past.get().transcript ?? live.get().transcript,
  subscribe(listener) {
    const undo = [live.subscribe(listener), past.subscribe(listener)]
    return () => {
      for (const each of undo) each()
    }
  },
})
