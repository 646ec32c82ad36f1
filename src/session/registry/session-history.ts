import type { SessionRecord } from '../../log/types.ts'
import type { EndReason } from '../conversation/session.ts'
import type { ConversationArrival } from '../conversation/session-deps.ts'

/** Carries the files of agents’ conversations between nodes that share no directory which has them. */
export interface SessionHistory {
  /**
   * This node owns a session now: brings its conversation here, before the agent starts. `lastNode` had the session
   * before. Undefined when there is nothing to report. Rejects with a `LogFault` when that cannot be known now.
   */
  arrive(
    record: SessionRecord,
    lastNode: string | undefined,
  ): Promise<ConversationArrival | undefined>
  /** Stores what is new, unless the session is removed, while this node still owns it. Never rejects. */
  leave(sessionId: string, reason: EndReason): Promise<void>
}

/** What became of the conversations that this process has carried. */
export interface HistoryFigures {
  /** How often something new was stored, how much, and how often that failed. */
  stored: number
  storedBytes: number
  failed: number
  /** How many conversations of other nodes were restored here, and how many could not be: `older` ones had a copy here. */
  restored: number
  missing: number
  older: number
}
