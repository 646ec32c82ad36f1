import type { DecoderOptions } from '../agent.ts'
import type { Emit, EventCollector } from '../event-collector.ts'
import { type CompactionTracker, createCompactionTracker } from './compaction.ts'
import { createMessages, type Messages } from './messages.ts'
import { createPermissions, type Permissions } from './permissions.ts'
import { createRetryTracker, type RetryTracker } from './retry.ts'
import { createRun, type Run } from './run.ts'
import { createSessionTracker, type SessionTracker } from './session.ts'
import { createTasks, type Tasks } from './tasks.ts'
import { createTools, type Tools } from './tools.ts'

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

export const createParts = (
  collector: EventCollector,
  { scope = '' }: DecoderOptions,
): ClaudeParts => {
  const retry = createRetryTracker(collector.emit)
  const emit: Emit = (event) => {
    if (event.type === 'message_start' && event.messageRole === 'assistant') retry.end()
    collector.emit(event)
  }
  const tasks = createTasks(emit)
  const run = createRun(emit, tasks.isBusy)
  const tools = createTools(emit, (toolCallId) => messages.closeThread(toolCallId))
  const messages = createMessages(scope, emit, run, tools)
  return {
    ...{ emit, run, messages, tools, tasks, retry },
    session: createSessionTracker(emit, collector.hasStarted),
    permissions: createPermissions(emit),
    compaction: createCompactionTracker(emit),
    isInterrupted: false,
  }
}

/** Emits a line that the decoder does not recognise. */
export const emitRaw = ({ emit }: Pick<ClaudeParts, 'emit'>, line: unknown): void =>
  emit({ type: 'raw', agent: 'claude', line })
