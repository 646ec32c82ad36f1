import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import { loopSummaryOf } from '../log/loop-info.ts'
import type { SharedLog } from '../log/shared-log.ts'
import type { OwnedHttpServer } from './http-server.ts'

/**
 * Publishes the changes of sessions and loops to readers of this node, whichever node has made them.
 * A write of this node arrives in the same way.
 */
export const followRecords = async (
  log: Pick<Log, 'sessions' | 'approvals' | 'loops'> & { shared: SharedLog },
  server: Pick<OwnedHttpServer, 'publishLifecycle' | 'publishLoop'>,
  onError: (cause: unknown) => void,
): Promise<void> => {
  /** The sessions that readers see. */
  const visible = new Set<string>()

  const publishSession = async (id: string): Promise<void> => {
    const session = await log.sessions.get(id)
    if (!session || session.removedAt !== undefined) {
      if (visible.delete(id)) server.publishLifecycle({ type: 'session_removed', sessionId: id })
      return
    }
    const type = visible.has(id) ? 'session_updated' : 'session_created'
    visible.add(id)
    server.publishLifecycle({ type, session })
  }
  const followers: Record<string, (id: string) => Promise<void>> = {
    session: publishSession,
    async approval(id) {
      const approval = await log.approvals.get(id)
      // The overview counts the approvals that wait.
      if (approval) await publishSession(approval.sessionId)
    },
    async loop(id) {
      const loop = await log.loops.get(id)
      if (loop) server.publishLoop(loopSummaryOf(loop))
    },
  }

  // One after another: a session is published as it was created before it is as it was changed.
  let last = Promise.resolve()
  log.shared.onRecord(({ kind, id }) => {
    const follow = followers[kind]
    if (follow) last = last.then(() => follow(id)).catch(onError)
  })
  for (const { id, removedAt } of await allSessions(log))
    if (removedAt === undefined) visible.add(id)
}
