import type { TokenCounts } from '../../events/types.ts'
import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { tokensSince } from './app-usage.ts'
import { createErrorTracker, type ErrorTracker } from './errors.ts'
import { createMessages, type Messages } from './messages.ts'
import { createRetryTracker, type RetryTracker } from './retry.ts'
import type { Run } from './run.ts'
import { createTools, type Tools } from './tools.ts'
import { type CodexCall, itemTypeOf, tokensOf } from './wire.ts'

/** The parts of a thread that items belong to: the main one, or that of a subagent. */
export interface ItemParts {
  readonly emit: Emit
  readonly messages: Messages
  readonly tools: Tools
  readonly retry: RetryTracker
  readonly errors: ErrorTracker
  readonly subagents: AppSubagents
}

/** The thread of a subagent. It may work on after its call, and after the run. */
export interface AppSubagent {
  readonly toolCallId: string
  readonly parts: ItemParts
  /** A turn of the subagent has started. */
  start(): void
  /** A turn of the subagent is over. */
  end(turn: Fields): void
  /** New token counts of the thread. */
  usage(tokenUsage: Fields): void
}

/** The subagents of a thread: Codex gives each a thread of its own. */
export interface AppSubagents {
  /** An item of any thread: it may name the thread of a subagent. `emit` is that of the item’s thread. */
  item(item: Fields, emit: Emit): void
  /** The subagent of a thread; undefined if no call is known that started it. */
  find(threadId: string | undefined): AppSubagent | undefined
  /** A call that runs in a subagent. */
  findCall(itemId: string): CodexCall | undefined
  /** The process is gone: ends what is open. */
  close(): void
}

export interface AppSubagentsOptions {
  /** Prefix of the ids of the messages. */
  scope: string
  cwd(): string | undefined
  model(): string | undefined
}

export const createAppSubagents = (options: AppSubagentsOptions): AppSubagents => {
  const threads = new Map<string, AppSubagent & { close(): void }>()
  const subagents: AppSubagents = {
    item(item, emit) {
      const toolCallId = stringOf(item.id)
      if (toolCallId === undefined) return
      for (const threadId of startedThreads(item)) {
        if (threads.has(threadId)) continue
        const number = threads.size + 1
        const about = { ...options, number, toolCallId, item, emit, subagents }
        threads.set(threadId, createSubagent(about))
      }
    },
    find: (threadId) => (threadId === undefined ? undefined : threads.get(threadId)),
    findCall(itemId) {
      for (const { parts } of threads.values()) {
        const call = parts.tools.find(itemId)
        if (call) return call
      }
      return undefined
    },
    close() {
      for (const thread of [...threads.values()].toReversed()) thread.close()
    },
  }
  return subagents
}

/** The threads that a call has started: newer releases print an activity, older ones the call. */
const startedThreads = (item: Fields): string[] => {
  const type = itemTypeOf(item)
  if (type === 'sub_agent_activity' && item.kind === 'started')
    return [stringOf(item.agentThreadId) ?? []].flat()
  if (type !== 'collab_agent_tool_call' || item.tool !== 'spawnAgent') return []
  return listOf(item.receiverThreadIds).flatMap((id) => stringOf(id) ?? [])
}

interface SubagentOptions extends AppSubagentsOptions {
  number: number
  toolCallId: string
  item: Fields
  emit: Emit
  subagents: AppSubagents
}

const createSubagent = (options: SubagentOptions): AppSubagent & { close(): void } => {
  const { toolCallId, item, emit: emitAround } = options
  const emit = inside(emitAround, toolCallId)
  const model = () => stringOf(item.model) ?? options.model()
  const scope = `${options.scope}s${options.number}-`
  const messages = createMessages({ scope, emit, run: noRun, model })
  const tools = createTools({ emit, messages, cwd: options.cwd })
  const retry = createRetryTracker(emit)
  const errors = createErrorTracker(emit)
  let isRunning = false
  let counted: TokenCounts | undefined

  const end = (isError: boolean) => {
    tools.close()
    if (isRunning) emitAround({ type: 'subagent_end', toolCallId, isError })
    isRunning = false
  }

  return {
    toolCallId,
    parts: { emit, messages, tools, retry, errors, subagents: options.subagents },
    start() {
      if (isRunning) return
      isRunning = true
      emitAround({ type: 'subagent_start', toolCallId, ...describe(item) })
    },
    end(turn) {
      const isAborted = turn.status === 'interrupted'
      const reason = turn.status === 'failed' ? stringOf(fieldsOf(turn.error).message) : undefined
      const errorMessage = turn.status === 'failed' ? errors.failed(reason) : undefined
      if (errorMessage === undefined) errors.wentOn()
      messages.close(isAborted ? { failure: { reason: 'aborted' } } : {})
      messages.settle()
      retry.end(isAborted ? 'The subagent was stopped.' : errorMessage)
      end(errorMessage !== undefined)
    },
    usage(tokenUsage) {
      const total = tokensOf(tokenUsage.total)
      const added = tokensSince(total, counted ?? tokensSince(total, tokensOf(tokenUsage.last)))
      counted = total
      if (!Object.values(added).some((count) => count > 0)) return
      messages.settle(added)
      // The counters of the main thread are other ones, and stay as they are.
      const reported = { byModel: {}, sinceLast: { [model() ?? 'unknown']: added } }
      emitAround({ type: 'session_update', reported: { ...reported, counts: 'conversation' } })
    },
    close() {
      messages.close({ failure: { reason: 'interrupted' } })
      retry.end('The agent ended.')
      end(true)
    },
  }
}

const describe = ({ agentPath, prompt }: Fields) => {
  const [path, text] = [stringOf(agentPath), stringOf(prompt)]
  return {
    ...(path !== undefined && { description: path }),
    ...(text !== undefined && text !== '' && { prompt: text }),
  }
}

/** The turns of a subagent are no runs of the session. */
const noRun: Run = {
  isOpen: () => true,
  ensure() {},
  act() {},
  endTurn() {},
  end() {},
  close() {},
}
