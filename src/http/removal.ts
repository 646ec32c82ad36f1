import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import type { SessionLifecycleEvent } from '../session/registry/session-lifecycle.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import { Problem } from '../shared/problem.ts'
import type { TurnDiffs } from '../turn-diff/turn-diffs.ts'

export interface RemovalOptions {
  log: Log
  sessions: Sessions
  turnDiffs: Pick<TurnDiffs, 'remove'>
  announce(news: SessionLifecycleEvent): void
  now(): number
  /** How long a removed session can be taken back. */
  keepMs?: number
}

/** Sessions that were removed: first set aside, so that it can be undone, later taken for good. */
export const createRemoval = (options: RemovalOptions) => {
  const { log, sessions, turnDiffs, announce, now, keepMs = 24 * 60 * 60 * 1000 } = options

  return {
    /** Ends the agent and hides the session. */
    async setAside(id: string): Promise<void> {
      // First: from here on nobody can bring it in, and what is in is ended for good.
      await log.sessions.update(id, { removedAt: now(), updatedAt: now() })
      await sessions.setAside(id)
      // Somebody may have wanted it back at once.
      const record = await log.sessions.get(id)
      if (record?.removedAt !== undefined) announce({ type: 'session_removed', sessionId: id })
    },
    /** Brings it back; nothing happens to one that was not removed. */
    async takeBack(id: string): Promise<void> {
      const record = await log.sessions.get(id)
      if (!record) throw new Problem(404, 'unknown_session', `There is no session ${id}.`)
      if (record.removedAt === undefined) return
      await log.sessions.update(id, { removedAt: null, updatedAt: now() })
    },
    /** Takes those for good that nobody wanted back in time. */
    async sweep(): Promise<void> {
      for (const { id } of await expired(log, now() - keepMs)) {
        await sessions.remove(id)
        await turnDiffs.remove(id)
      }
    },
  }
}
export type Removal = ReturnType<typeof createRemoval>

/** Sessions that were removed before a time. */
const expired = async (log: Log, time: number): Promise<SessionRecord[]> => {
  const found: SessionRecord[] = []
  let before: SessionRecord | undefined
  do {
    const page = await log.sessions.list({ includeRemoved: true, before, limit: 200 })
    found.push(...page.filter(({ removedAt }) => removedAt !== undefined && removedAt <= time))
    before = page.at(-1)
  } while (before)
  return found
}
