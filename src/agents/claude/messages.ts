import type { Block, Message } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringOf,
} from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { createOpenMessage } from '../open-message.ts'
import { providerError } from '../provider-error.ts'
import { createDraft, type Draft } from './draft.ts'
import type { RetryTracker } from './retry.ts'
import type { Run } from './run.ts'
import type { Tools } from './tools.ts'
import { blockOf, textOfBlocks, timestampOf } from './wire.ts'

/**
 * Claude’s messages, by thread: the main one and one for each subagent. The lines of one message
 * share its id, and its tools may run between them. So a message is over only when another one
 * begins, its stream stops, or its turn ends.
 */
export interface Messages {
  /** An `assistant` line: one or more whole blocks of a message. */
  assistant(line: Fields): void
  /** A `user` line, without the tool results in it. */
  user(line: Fields, content: Block[]): void
  /** A `stream_event` line: a delta of a message. */
  stream(line: Fields): void
  /** The last message of the main thread’s turn. */
  lastOfTurn(): Message | undefined
  /** Returns the last message of the main thread’s turn, once. */
  takeLastOfTurn(): Message | undefined
  /** Ends the message of a thread, unless it still streams. Without a call, of the main one. */
  settleThread(toolCallId: string | undefined): void
  /** Ends the message of a thread; without a call, of the main one. */
  closeThread(toolCallId: string | undefined): void
  /** Ends the messages of subagents, except those that work in the background. */
  closeSubagents(): void
  /** A person stopped the message of the main thread. */
  abort(): void
  /** Nothing more will come: ends all messages as far as they came. */
  close(): void
}

interface Thread {
  /** The call of the subagent; undefined for the main thread. */
  parent: string | undefined
  emit: Emit
  draft: Draft | undefined
  /** User messages that arrived while the draft was streaming. */
  waiting: (() => void)[]
}

export interface MessagesOptions {
  /** Prefix of the ids that messages without one get. */
  scope: string
  emit: Emit
  run: Run
  tools: Pick<Tools, 'call' | 'result'>
  /** Whether a subagent works in the background, or another one around it. */
  isInBackground(toolCallId: string): boolean
  retry: Pick<RetryTracker, 'end'>
}

interface Parts extends Omit<MessagesOptions, 'scope'> {
  threads: Map<string, Thread>
  newId(nativeId: string | undefined): string
  /** The last message of the main thread, until its turn ends. */
  lastOfTurn: Message | undefined
}

export const createMessages = ({ scope, ...options }: MessagesOptions): Messages => {
  const threads = new Map<string, Thread>()
  const parts: Parts = { ...options, threads, newId: createIds(scope), lastOfTurn: undefined }

  return {
    assistant: (line) => addLine(parts, line),
    user(line, content) {
      const thread = threadOf(parts, line)
      if (thread.draft?.isStreaming)
        thread.waiting.push(() => emitUser(parts, thread, line, content))
      else {
        finish(parts, thread, Infinity)
        emitUser(parts, thread, line, content)
      }
    },
    stream: (line) => addStreamEvent(parts, line),
    lastOfTurn: () => parts.lastOfTurn,
    takeLastOfTurn: () => takeLastOfTurn(parts),
    settleThread(toolCallId) {
      const thread = threads.get(toolCallId ?? '')
      if (thread && !thread.draft?.isStreaming) finish(parts, thread, Infinity)
    },
    closeThread(toolCallId) {
      const thread = threads.get(toolCallId ?? '')
      if (thread) finish(parts, thread, Infinity)
    },
    closeSubagents() {
      for (const thread of threads.values())
        if (thread.parent !== undefined && !parts.isInBackground(thread.parent))
          finish(parts, thread, Infinity)
    },
    abort() {
      threads.get('')?.draft?.abort()
    },
    close() {
      for (const thread of threads.values()) {
        thread.draft?.interrupt()
        finish(parts, thread, Infinity)
      }
    },
  }
}

/** The native id, or one of ours if it is missing or was used before. */
const createIds = (scope: string) => {
  const used = new Set<string>()
  let count = 0
  return (nativeId: string | undefined): string => {
    count += 1
    const isFree = nativeId !== undefined && !used.has(nativeId)
    const id = isFree ? nativeId : `${nativeId ?? scope}m${count}`
    used.add(id)
    return id
  }
}

const threadOf = ({ threads, emit }: Parts, line: Fields): Thread => {
  const parent = stringOf(line.parent_tool_use_id)
  const found = threads.get(parent ?? '')
  if (found) return found
  const thread: Thread = { parent, emit: inside(emit, parent), draft: undefined, waiting: [] }
  threads.set(parent ?? '', thread)
  return thread
}

const takeLastOfTurn = (parts: Parts): Message | undefined => {
  const { lastOfTurn } = parts
  parts.lastOfTurn = undefined
  return lastOfTurn
}

/** Starts an assistant message, which ends the retries of its model call. */
const emitStart = (
  { retry }: Parts,
  { emit }: Thread,
  messageId: string,
  model: string | undefined,
) => {
  retry.end()
  emit({
    type: 'message_start',
    messageRole: 'assistant',
    messageId,
    ...(model !== undefined && { model }),
  })
}

/** Starts a message, which replaces the one before. */
const begin = (parts: Parts, thread: Thread, message: Fields, isStreaming: boolean): Draft => {
  const { run, newId } = parts
  run.act(thread.parent)
  replace(parts, thread)
  if (thread.parent === undefined) {
    const last = takeLastOfTurn(parts)
    run.endTurn(last?.stopReason, last?.usage)
    run.startTurn()
  }
  const id = newId(stringOf(message.id))
  const model = stringOf(message.model)
  emitStart(parts, thread, id, model)
  const nativeId = stringOf(message.id) ?? id
  const draft = createDraft({ id, nativeId, model, isStreaming }, thread.emit)
  thread.draft = draft
  return draft
}

const finish = (parts: Parts, thread: Thread, voidFrom: number) => {
  const { draft } = thread
  thread.draft = undefined
  if (draft) {
    const message = draft.finish(voidFrom)
    if (thread.parent === undefined) parts.lastOfTurn = message
  }
  for (const emitWaiting of thread.waiting.splice(0)) emitWaiting()
}

/** Another message follows: deltas that no whole block completed are void. */
const replace = (parts: Parts, thread: Thread) =>
  finish(parts, thread, thread.draft?.blocks.firstUnfinished() ?? Infinity)

const addLine = (parts: Parts, line: Fields) => {
  const thread = threadOf(parts, line)
  const message = fieldsOf(line.message)
  if (message.model === '<synthetic>') return emitSynthetic(parts, thread, line, message)
  const id = stringOf(message.id)
  const isSame = id === undefined || thread.draft?.nativeId === id
  const draft = (isSame && thread.draft) || begin(parts, thread, message, false)
  for (const block of listOf(message.content)) addBlock(parts, thread, draft, fieldsOf(block))
  if (line.aborted === true) draft.abort()
  draft.stamp(line)
  draft.note({ usage: line.usage, ...message })
}

const addBlock = ({ tools }: Parts, { parent }: Thread, draft: Draft, block: Fields) => {
  const type = stringOf(block.type) ?? 'unknown'
  draft.blocks.add(block)
  if (type === 'tool_use' || type === 'server_tool_use')
    tools.call(stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.input ?? {}, parent)
  else if (type.endsWith('_tool_result')) tools.result(block, { parentToolCallId: parent })
}

/** A message of the program itself: an API error, or the output of a local command. */
const emitSynthetic = (parts: Parts, thread: Thread, line: Fields, message: Fields) => {
  parts.run.act(thread.parent)
  replace(parts, thread)
  const content = listOf(message.content).filter(isFields).map(blockOf)
  const text = textOfBlocks(content)
  const isError = line.error !== undefined || line.is_api_error_message === true
  const failure = isError ? providerError(text) : undefined
  const id = parts.newId(stringOf(message.id))
  emitStart(parts, thread, id, undefined)
  createOpenMessage(id, thread.emit).finish(
    {
      role: 'assistant',
      content: isError ? [] : content,
      stopReason: isError ? 'error' : 'stop',
      synthetic: true,
      ...failure,
      ...defined({ timestamp: timestampOf(line), nativeId: stringOf(message.id) }),
    },
    failure && { reason: 'error', errorMessage: failure.errorMessage },
  )
}

const emitUser = (
  { run, newId }: Parts,
  { emit, parent }: Thread,
  line: Fields,
  content: Block[],
) => {
  run.act(parent)
  const timestamp = timestampOf(line)
  const messageId = newId(stringOf(line.uuid))
  emit({ type: 'message_start', messageRole: 'user', messageId })
  emit({
    type: 'message_end',
    messageId,
    message: {
      role: 'user',
      content,
      ...(timestamp !== undefined && { timestamp }),
      ...(line.isSynthetic === true && { synthetic: true }),
      ...(line.isReplay === true && { replay: true }),
    },
  })
}

const addStreamEvent = (parts: Parts, line: Fields) => {
  const thread = threadOf(parts, line)
  const event = fieldsOf(line.event)
  if (event.type === 'message_start') {
    const message = fieldsOf(event.message)
    return begin(parts, thread, message, true).note(message)
  }
  // An older note about the format shows deltas without a `message_start`.
  const isBare = event.type === 'content_block_delta' && !thread.draft
  const draft = isBare ? begin(parts, thread, {}, true) : thread.draft
  if (draft) applyStreamEvent(parts, thread, draft, line, event)
}

const applyStreamEvent = (
  parts: Parts,
  thread: Thread,
  draft: Draft,
  line: Fields,
  event: Fields,
) => {
  const index = countOf(event.index) ?? 0
  switch (event.type) {
    case 'content_block_delta':
      return draft.blocks.grow(index, event.delta)
    case 'content_block_start':
      return draft.blocks.begin(index, fieldsOf(event.content_block))
    case 'content_block_stop':
      return draft.blocks.stop(index)
    case 'message_delta':
      return draft.note({ stop_reason: fieldsOf(event.delta).stop_reason, usage: event.usage })
    case 'message_stop':
      return stop(parts, thread, draft, fieldsOf(line.abandoned_blocks))
  }
}

const stop = (parts: Parts, thread: Thread, draft: Draft, abandoned: Fields) => {
  // Without a stop reason, blocks that are not whole may be incomplete.
  const unfinished = draft.hasStopped() ? Infinity : draft.blocks.firstUnfinished()
  finish(parts, thread, countOf(abandoned.from_block_index) ?? unfinished)
}
