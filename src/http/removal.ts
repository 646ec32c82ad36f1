import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { SessionRecord } from '../log/types.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import type { Streams } from '../streams/streams.ts'
import type { TurnDiffs } from '../turn-diff/turn-diffs.ts'
import { bringBackWorktree, releaseWorktree, type WorktreeFate } from './session-worktrees.ts'

export interface RemovalOptions {
  log: Log
  sessions: Sessions
  streams: Pick<Streams, 'publishLifecycle'>
  turnDiffs: Pick<TurnDiffs, 'remove'>
  now(): number
  /** Receives errors of worktrees, which do not keep a session from being removed. */
  onError(cause: unknown): void
  /** How long a removed session can be restored. Default: a day. */
  keepMs?: number
}

/** Removes sessions: first they are hidden and can be restored, later they are deleted. */
export interface Removal {
  /** Stops the agent and hides the session. Its worktree is deleted if nothing in it would be lost. */
  remove(id: string, worktree?: WorktreeFate): Promise<void>
  /**
   * Shows a removed session again, with its worktree. False when it was not removed. Throws when there is no such session.
   */
  restore(id: string): Promise<boolean>
  /** Deletes the sessions that can no longer be restored. */
  deleteExpired(): Promise<void>
}

export const createRemoval = (options: RemovalOptions): Removal => {
  const { log, sessions, streams, turnDiffs, now, onError } = options
  const { keepMs = 24 * 60 * 60 * 1000 } = options

  return {
    async remove(id, worktree) {
      // Before the agent is stopped: from now on nothing can load the session and start it again.
      await log.sessions.update(id, { removedAt: now(), updatedAt: now() })
      await sessions.deactivate(id)
      // It may have been restored in the meantime.
      const record = await log.sessions.get(id)
      if (record?.removedAt === undefined) return
      streams.publishLifecycle({ type: 'session_removed', sessionId: id })
      await releaseWorktree(log, record, worktree).catch(onError)
    },
    async restore(id) {
      const record = await log.sessions.get(id)
      if (!record) throw unknownSession(id)
      if (record.removedAt === undefined) return false
      await log.sessions.update(id, { removedAt: null, updatedAt: now() })
      await bringBackWorktree(record).catch(onError)
      return true
    },
    async deleteExpired() {
      for (const { id } of await removedBefore(log, now() - keepMs)) {
        await sessions.remove(id)
        await turnDiffs.remove(id)
      }
    },
  }
}

const removedBefore = async (log: Log, time: number): Promise<SessionRecord[]> => {
  const records = await allSessions(log)
  return records.filter(({ removedAt }) => removedAt !== undefined && removedAt <= time)
}
