import type { EventOf } from '../../events/types.ts'
import type { EventQueue } from '../emit.ts'
import type { PlainCalls } from '../plain-calls.ts'
import type { PlainRun } from '../plain-run.ts'
import type { QwenMessages } from './messages.ts'
import type { QwenPermissions } from './permissions.ts'
import type { QwenRetry } from './retry.ts'
import type { QwenSubagents } from './subagents.ts'

export type QwenSession = Partial<Omit<EventOf<'session_start'>, 'type' | 'agent'>>

/** The parts of a decoder: each follows one thing through the stream. */
export interface QwenParts {
  readonly queue: EventQueue
  readonly run: PlainRun
  readonly calls: PlainCalls
  readonly messages: QwenMessages
  readonly subagents: QwenSubagents
  readonly permissions: QwenPermissions
  readonly retry: QwenRetry
  /** What the last `init` line said. */
  session: QwenSession
  /** The person interrupted the run. */
  isInterrupted: boolean
  /** The process resumed a conversation, and no result has shown its counters yet. */
  isResumed: boolean
  /** Results of tools since the last answer of the main thread. */
  resultsSinceAnswer: number
}

/** Emits a line that the decoder does not recognise. */
export const emitRaw = ({ queue }: Pick<QwenParts, 'queue'>, line: unknown): void =>
  queue.emit({ type: 'raw', agent: 'qwen', line })
