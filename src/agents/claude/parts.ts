import type { AgentEvent } from '../../events/types.ts'
import { stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import type { CompactionTracker } from './compaction.ts'
import type { Messages } from './messages.ts'
import type { Permissions } from './permissions.ts'
import type { RetryTracker } from './retry.ts'
import type { Run } from './run.ts'
import type { SessionTracker } from './session.ts'
import type { Tasks } from './tasks.ts'
import type { Tools } from './tools.ts'

/** The parts of a decoder: each follows one thing through the stream. */
export interface ClaudeParts {
  readonly emit: Emit
  readonly session: SessionTracker
  readonly run: Run
  readonly messages: Messages
  readonly tools: Tools
  readonly tasks: Tasks
  readonly permissions: Permissions
  readonly compaction: CompactionTracker
  readonly retry: RetryTracker
  /** The person interrupted the turn. */
  isInterrupted: boolean
  /** The turn has shown an answer, or the output of a command. */
  hasOutput: boolean
  /** The ids of the outputs of commands. After a compaction, some are printed again. */
  readonly printedOutputs: Set<string>
  /** The turn compacted the conversation. */
  hasCompacted: boolean
  /** Emits the output of a command, which waits for the echo of that command in the next line. */
  heldOutput: (() => void) | undefined
  /** The answer of a run that ended before its result. The result may still come. */
  heldAnswer: string | undefined
}

/** Emits the output that waits for the echo of its command. */
export const releaseOutput = (parts: ClaudeParts): void => {
  const emitOutput = parts.heldOutput
  parts.heldOutput = undefined
  emitOutput?.()
}

/** Emits a line that the decoder does not recognise. */
export const emitRaw = ({ emit }: Pick<ClaudeParts, 'emit'>, line: unknown): void =>
  emit({ type: 'raw', agent: 'claude', line })

/** A notice of the program for people. */
export const noticeEvent = (level: string, text: unknown): AgentEvent => ({
  type: 'session_update',
  notice: { level, text: stringOf(text) ?? '' },
})
