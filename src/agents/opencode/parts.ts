import type { AgentEvent } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { DecoderOptions } from '../agent.ts'
import { createEventQueue, type Emit } from '../emit.ts'
import { createOpenCodeCompaction, type OpenCodeCompaction } from './compaction.ts'
import { createOpenCodeMessages, type OpenCodeMessages } from './messages.ts'
import { createOpenCodeRun, type OpenCodeOutcome, type OpenCodeRun } from './run.ts'
import { createOpenCodeTools, type OpenCodeCall, type OpenCodeTools } from './tools.ts'
import { todosOf } from './wire.ts'

/** What the decoders of `run` and `serve` share: each part follows one thing through the stream. */
export interface OpenCodeParts {
  readonly emit: Emit
  readonly run: OpenCodeRun
  readonly tools: OpenCodeTools
  readonly messages: OpenCodeMessages
  readonly compaction: OpenCodeCompaction
  /** The id of the main session. */
  sessionId(): string | undefined
  /** The first line of a session. */
  startSession(sessionId: string | undefined): void
  /** The to-do list, if it changed: `serve` reports it, and the tool that writes it. */
  todos(items: unknown): void
  /** A line that is not recognised. */
  raw(line: unknown): void
  /** Ends what is open inside the run. */
  close(): void
  take(): AgentEvent[]
}

/** `refused`: how the run ends when a call was refused. */
export const createOpenCodeParts = (
  { scope = '' }: DecoderOptions,
  refused: (call: OpenCodeCall) => OpenCodeOutcome,
): OpenCodeParts => {
  const { emit, take, hasStarted } = createEventQueue('opencode')
  const run = createOpenCodeRun(emit)
  const todos = createTodoList(emit)
  const tools = createOpenCodeTools(todos)
  const compaction = createOpenCodeCompaction(emit)
  let sessionId: string | undefined
  const parentOf = (id: string) => (id === sessionId ? undefined : tools.subagentOf(id)?.toolCallId)
  const messages = createOpenCodeMessages({
    ...{ scope, emit, run, tools, compaction, parentOf, refused },
  })
  return {
    ...{ emit, run, tools, messages, compaction, todos, take },
    sessionId: () => sessionId,
    startSession(id) {
      if (sessionId !== undefined) return
      sessionId = id
      const fields = { agent: 'opencode', ...defined({ nativeId: id }) }
      if (!hasStarted()) emit({ type: 'session_start', ...fields })
    },
    raw: (line) => emit({ type: 'raw', agent: 'opencode', line }),
    close() {
      messages.close()
      tools.close()
      compaction.close()
    },
  }
}

const createTodoList = (emit: Emit) => {
  let last = ''
  return (items: unknown) => {
    const todos = todosOf(items)
    const now = JSON.stringify(todos)
    if (now !== last) emit({ type: 'session_update', todos })
    last = now
  }
}
