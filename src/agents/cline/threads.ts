import type { Usage } from '../../events/types.ts'
import { defined, type Fields, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { createMessageDraft, type MessageDraft } from '../message-draft.ts'
import type { MessageFailure, TextKind } from '../open-message.ts'
import type { PlainCalls } from '../plain-calls.ts'
import { usageOf } from './wire.ts'

/** The main agent, or a subagent. Each iteration is one message, with its calls inside. */
export interface ClineThread {
  /** The call of the subagent; undefined for the main agent. */
  readonly parent: string | undefined
  /** A part of a text. */
  delta(kind: TextKind, delta: string): void
  /** The whole text of the iteration. */
  complete(kind: TextKind, whole: string): void
  tool(toolCallId: string, toolName: string, input: unknown): void
  usage(event: Fields): void
  /** Ends the message of the iteration, if it has one. */
  finish(end: { hasCalls: boolean } | MessageFailure): Usage | undefined
}

/** The threads of a stream. Its lines do not name theirs: they are those of the thread that works. */
export interface Threads {
  current(): ClineThread
  /** A subagent starts, in the latest call that starts one. */
  enter(agentId: string): void
  leave(agentId: string): void
  /** Ends all messages and subagents as far as they came. */
  close(failure: MessageFailure): void
  model: string | undefined
}

export const createThreads = (scope: string, emit: Emit, calls: PlainCalls): Threads => {
  let count = 0
  const newId = () => `${scope}m${++count}`
  const threads: Threads = { current, enter, leave, close, model: undefined }
  const main = createThread(undefined, emit, newId, () => threads.model)
  /** The subagents that work, the innermost last. */
  const inner: { agentId: string; thread: ClineThread }[] = []

  function current(): ClineThread {
    return inner.at(-1)?.thread ?? main
  }

  function enter(agentId: string) {
    const parent = calls.latestOf('spawn_agent')
    // Without a call, its lines would be those of the main agent.
    if (parent === undefined) return
    emit({ type: 'subagent_start', toolCallId: parent })
    const thread = createThread(parent, inside(emit, parent), newId, () => threads.model)
    inner.push({ agentId, thread })
  }

  function leave(agentId: string) {
    const at = inner.findIndex((each) => each.agentId === agentId)
    if (at >= 0) for (const { thread } of inner.splice(at).toReversed()) endThread(thread)
  }

  function endThread(thread: ClineThread, failure: MessageFailure = { reason: 'interrupted' }) {
    thread.finish(failure)
    if (thread.parent === undefined) return
    calls.interrupt((parent) => parent === thread.parent)
    emit({ type: 'subagent_end', toolCallId: thread.parent })
  }

  function close(failure: MessageFailure) {
    for (const { thread } of inner.splice(0).toReversed()) endThread(thread, failure)
    main.finish(failure)
  }

  return threads
}

const createThread = (
  parent: string | undefined,
  emit: Emit,
  newId: () => string,
  modelOf: () => string | undefined,
): ClineThread => {
  let draft: MessageDraft | undefined
  let usage: Usage | undefined
  let cost = 0
  /** How many texts have ended: the next one is another block. */
  let ended = 0

  const open = (): MessageDraft => {
    draft ??= createMessageDraft(newId(), emit, modelOf())
    return draft
  }

  // No id of a call has a blank in it.
  const nameOf = (kind: TextKind): string => (kind === 'text' ? `text ${ended}` : 'thinking 0')

  return {
    parent,
    delta: (kind, delta) => open().delta(kind, nameOf(kind), delta),
    complete(kind, whole) {
      if (whole === '') return
      open().complete(kind, nameOf(kind), whole)
      if (kind === 'text') ended += 1
    },
    tool: (toolCallId, toolName, input) => open().endTool(toolCallId, toolName, input),
    usage(event) {
      usage = usageOf(event, cost)
      cost += usage.cost?.total ?? 0
      open().usage(usage)
    },
    finish(end) {
      const [finished, used] = [draft, usage]
      draft = undefined
      usage = undefined
      ended = 0
      if ('reason' in end) finished?.finish({}, end)
      else finished?.finish(end.hasCalls ? { stopReason: 'toolUse' } : {})
      return used
    },
  }
}

/** The text of a line about content of that kind. */
export const textOfContent = (event: Fields, kind: TextKind): string =>
  stringOf(kind === 'text' ? event.text : event.reasoning) ?? ''

/** What the lines about a subagent or the program say about the session. */
export const clineDetails = (line: Fields) =>
  defined({ nativeId: stringOf(line.sessionId), model: stringOf(line.modelId) })
