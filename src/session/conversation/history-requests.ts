import { randomUUID } from 'node:crypto'
import { type Connection, type ForkPoint, optionalRequestPrefix } from '../../agents/live.ts'
import type { Replies } from './replies.ts'
import type { RewindOutcome } from './session.ts'

/** Requests to one process of an agent about earlier points of its conversation. */
export interface HistoryRequests {
  /** The points where a copy of the conversation can end; undefined if the agent lists none. */
  forkPoints(): Promise<ForkPoint[] | undefined>
  /** Restores files to their state before a message. `dryRun`: it only says what would change. */
  rewind(messageId: string, dryRun: boolean): Promise<RewindOutcome>
}

export const createHistoryRequests = (
  { forkPoints, rewind }: Connection,
  replies: Replies,
): HistoryRequests => {
  const request = (write: (id: string) => void) => {
    const id = `${optionalRequestPrefix}${randomUUID()}`
    const reply = replies.replyTo(id)
    write(id)
    return reply
  }

  return {
    async forkPoints() {
      if (!forkPoints || replies.isClosed()) return undefined
      const result = await request(forkPoints.request)
      return result.outcome === 'accepted' ? forkPoints.pointsIn(result.data) : undefined
    },
    async rewind(messageId, dryRun) {
      if (!rewind) return { outcome: 'unsupported' }
      if (replies.isClosed()) return { outcome: 'gone' }
      const { data, ...result } = await request((id) => rewind.request(id, messageId, dryRun))
      if (result.outcome !== 'accepted') return result
      const files = rewind.resultOf(data)
      if (files.problem !== undefined) return { outcome: 'refused', error: files.problem }
      return { outcome: 'accepted', files }
    },
  }
}
