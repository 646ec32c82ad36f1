import type { Log } from '../log/log.ts'
import { createPresenceRegistry } from '../presence/presence-registry.ts'
import type { SessionLifecycleEvent, Sessions } from '../session/registry/sessions.ts'
import { createPresenceFollower } from '../watch/presence-follower.ts'
import { createTakeover, type Takeover } from '../watch/takeover.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'

/** What a server does about agents that run outside Sluice. */
export interface OutsideAgents {
  readonly takeover: Takeover
  onSession(event: SessionLifecycleEvent): void
  close(): Promise<void>
}

interface OutsideAgentsOptions {
  log: Log
  watched: WatchedSessions
  sessions: Sessions
  onError(cause: unknown): void
}

export const openOutsideAgents = (options: OutsideAgentsOptions): OutsideAgents => {
  const presence = createPresenceRegistry()
  const follower = createPresenceFollower({ ...options, presence })
  void follower.start().catch(options.onError)
  return {
    takeover: createTakeover({ ...options, presence }),
    onSession: follower.onSession,
    async close() {
      presence.close()
      await follower.close()
    },
  }
}
