import type { Block } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import type { MessageFailure } from '../open-message.ts'
import type { PlainCalls } from '../plain-calls.ts'
import type { PlainRun } from '../plain-run.ts'
import { createQwenDraft, type QwenDraft } from './draft.ts'

/** The messages of Qwen Code, by thread: the main one, and one for each subagent. */
export interface QwenMessages {
  /** An `assistant` line: whole blocks of one kind. */
  assistant(line: Fields): void
  /** A `stream_event` line. */
  stream(line: Fields): void
  /** Text in a `user` line. Qwen Code writes it: prompts are only in session files. */
  user(line: Fields, content: Block[]): void
  /** The message of a thread is over, unless it still streams. Without a call: the main thread. */
  settle(toolCallId: string | undefined): void
  /** The run is over: ends the message of the main thread, and those of subagents that ended with it. */
  finish(failure?: MessageFailure): void
  /** The text of the main thread that may be an error of the provider, if it is all that is open. */
  heldError(): string
  /** Takes back the last answer of the main thread: the model is asked again. */
  withdraw(): void
  /** Ends the message of a subagent. */
  closeThread(toolCallId: string): void
  /** Nothing more will come: ends all messages as far as they came. */
  close(): void
}

interface Thread {
  parent: string | undefined
  emit: Emit
  draft: QwenDraft | undefined
}

export interface QwenMessagesOptions {
  scope: string
  emit: Emit
  run: PlainRun
  calls: Pick<PlainCalls, 'start'>
  /** Whether the subagent of that call works beside the run. */
  isInBackground(toolCallId: string): boolean
  /** Called when the model answers. */
  onAnswer(): void
  /** Called when the model calls a tool. */
  onCall(block: Fields, parentToolCallId: string | undefined): void
}

interface Parts extends Omit<QwenMessagesOptions, 'scope'> {
  readonly threads: Map<string, Thread>
  newId(nativeId: string | undefined): string
  /** The last answer of the main thread. */
  last: string | undefined
}

export const createQwenMessages = ({ scope, ...options }: QwenMessagesOptions): QwenMessages => {
  const threads = new Map<string, Thread>()
  const parts: Parts = { ...options, threads, newId: createIds(scope), last: undefined }

  return {
    assistant: (line) => addLine(parts, line),
    stream: (line) => addStreamEvent(parts, line),
    user: (line, content) => addUser(parts, line, content),
    settle(toolCallId) {
      const thread = threads.get(toolCallId ?? '')
      if (thread && (toolCallId !== undefined || !thread.draft?.isStreaming)) finish(parts, thread)
    },
    finish(failure) {
      for (const thread of threads.values()) {
        if (thread.parent === undefined) finish(parts, thread, failure)
        else if (!options.isInBackground(thread.parent))
          finish(parts, thread, { reason: 'interrupted' })
      }
      parts.last = undefined
    },
    heldError: () => threads.get('')?.draft?.heldError() ?? '',
    withdraw() {
      const main = threads.get('')
      if (main) finish(parts, main, { reason: 'abandoned' })
      const messageId = parts.last
      parts.last = undefined
      if (messageId !== undefined)
        options.emit({ type: 'message_withdrawn', messageId, reason: 'retried' })
    },
    closeThread(toolCallId) {
      const thread = threads.get(toolCallId)
      if (thread) finish(parts, thread)
    },
    close() {
      for (const thread of threads.values()) finish(parts, thread, { reason: 'interrupted' })
    },
  }
}

/** The native id, or one of ours if it is missing or was used before. */
const createIds = (scope: string) => {
  const used = new Set<string>()
  let count = 0
  return (nativeId: string | undefined): string => {
    count += 1
    const id = nativeId !== undefined && !used.has(nativeId) ? nativeId : `${scope}m${count}`
    used.add(id)
    return id
  }
}

const threadOf = ({ threads, emit }: Parts, line: Fields): Thread => {
  const parent = stringOf(line.parent_tool_use_id)
  const found = threads.get(parent ?? '')
  if (found) return found
  const thread: Thread = { parent, emit: inside(emit, parent), draft: undefined }
  threads.set(parent ?? '', thread)
  return thread
}

const begin = (parts: Parts, thread: Thread, message: Fields, isStreaming: boolean): QwenDraft => {
  finish(parts, thread)
  parts.onAnswer()
  if (thread.parent === undefined) parts.run.startTurn()
  else actFor(parts, thread.parent)
  const id = parts.newId(stringOf(message.id))
  const model = stringOf(message.model)
  thread.emit({
    type: 'message_start',
    messageRole: 'assistant',
    messageId: id,
    ...defined({ model }),
  })
  const draft = createQwenDraft({ id, model, isStreaming }, thread.emit)
  thread.draft = draft
  if (thread.parent === undefined) parts.last = id
  return draft
}

/** A subagent acts. A run is open, unless the subagent works beside it. */
const actFor = ({ run, isInBackground }: Parts, toolCallId: string) => {
  if (!isInBackground(toolCallId)) run.act()
}

const finish = (parts: Parts, thread: Thread, failure?: MessageFailure) => {
  const { draft } = thread
  thread.draft = undefined
  if (!draft) return
  const { stopReason, usage } = draft.finish(failure)
  if (thread.parent === undefined) parts.run.stopTurn(stopReason, usage)
}

const addLine = (parts: Parts, line: Fields) => {
  const thread = threadOf(parts, line)
  const message = fieldsOf(line.message)
  const open = thread.draft?.isStreaming || !thread.draft?.isWhole() ? thread.draft : undefined
  const draft = open ?? begin(parts, thread, message, false)
  parts.onAnswer()
  for (const block of draft.add(message)) parts.onCall(block, thread.parent)
}

const addStreamEvent = (parts: Parts, line: Fields) => {
  const thread = threadOf(parts, line)
  const event = fieldsOf(line.event)
  if (event.type === 'message_start') {
    begin(parts, thread, fieldsOf(event.message), true)
    return
  }
  const index = countOf(event.index) ?? 0
  if (event.type === 'content_block_delta') {
    parts.onAnswer()
    const draft = thread.draft ?? begin(parts, thread, {}, true)
    draft.grow(index, fieldsOf(event.delta))
  } else if (event.type === 'content_block_start')
    thread.draft?.begin(index, fieldsOf(event.content_block))
  // The result says whether text that was held back is an error.
  else if (event.type === 'message_stop' && !thread.draft?.heldError()) finish(parts, thread)
}

const addUser = (parts: Parts, line: Fields, content: Block[]) => {
  const thread = threadOf(parts, line)
  finish(parts, thread)
  if (thread.parent === undefined) {
    parts.last = undefined
    parts.run.act()
  } else actFor(parts, thread.parent)
  const messageId = parts.newId(stringOf(line.uuid))
  thread.emit({ type: 'message_start', messageRole: 'user', messageId })
  const isOwn = line.synthetic !== false
  const message = { role: 'user' as const, content, ...(isOwn && { synthetic: true as const }) }
  thread.emit({ type: 'message_end', messageId, message })
}
