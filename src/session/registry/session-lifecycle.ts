import type { SessionRecord } from '../../log/types.ts'

/** What happened to a session as a whole, once it is stored. */
export type SessionLifecycleEvent =
  | { type: 'session_created' | 'session_updated'; session: SessionRecord }
  | { type: 'session_removed'; sessionId: string }
