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
}

/** Emits a line that the decoder does not recognise. */
export const emitRaw = ({ emit }: Pick<ClaudeParts, 'emit'>, line: unknown): void =>
  emit({ type: 'raw', agent: 'claude', line })
