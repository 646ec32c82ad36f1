import type {
  AssistantMessageEvent,
  BlobRef,
  Block,
  ErrorUpdate,
  Message,
  ToolUseInputDeltaUpdate,
} from '../events/types.ts'
import type { Entry, MessageEntry } from './entry.ts'
import { grow } from './grow.ts'
import { findLastIndex, itemAt, listItems, setItem } from './list.ts'
import {
  openThread,
  putEntry,
  putThread,
  replaceEntries,
  threadAt,
  threadNumber,
} from './threads.ts'
import type { Incoming, Thread, Transcript } from './transcript.ts'

/** A message starts. It becomes the open message of its thread. */
export const startMessage = (
  transcript: Transcript,
  event: Incoming<'message_start'>,
): Transcript => {
  const { transcript: opened, number } = openThread(transcript, event.parentToolCallId)
  const thread = closeMessage(threadAt(opened, number))
  const message: Message = {
    role: event.messageRole,
    content: [],
    ...(event.model !== undefined && { model: event.model }),
  }
  const index = thread.entries.length
  const entries = setItem(thread.entries, index, entryOf(event, message, true))
  return putThread(opened, number, { ...thread, entries, open: index })
}

/** The open message grows. Updates of other messages are ignored: their end has all their content. */
export const updateMessage = (
  transcript: Transcript,
  event: Incoming<'message_update'>,
): Transcript => {
  const number = threadNumber(transcript, event.parentToolCallId)
  if (number === undefined) return transcript
  const { open, entries } = threadAt(transcript, number)
  const entry = open === null ? undefined : itemAt(entries, open)
  if (open === null || entry?.kind !== 'message' || entry.messageId !== event.messageId)
    return transcript
  const message = applyUpdate(entry.message, event.assistantMessageEvent)
  if (message === entry.message) return transcript
  return putEntry(transcript, { thread: number, index: open }, { ...entry, message })
}

/** A message is complete. Its final content replaces the streamed content. */
export const endMessage = (transcript: Transcript, event: Incoming<'message_end'>): Transcript => {
  const { transcript: opened, number } = openThread(transcript, event.parentToolCallId)
  const thread = threadAt(opened, number)
  const index = indexOf(thread, event.messageId) ?? thread.entries.length
  const before = itemAt(thread.entries, index)
  const entry: MessageEntry =
    before?.kind === 'message'
      ? { ...before, message: event.message, isStreaming: false }
      : entryOf(event, event.message, false)
  const entries = setItem(thread.entries, index, entry)
  return putThread(opened, number, {
    ...thread,
    entries,
    open: thread.open === index ? null : thread.open,
  })
}

/** Sets how far a message of a person came. */
export const setDelivery = (
  transcript: Transcript,
  { messageId, state, reason }: Incoming<'message_delivery'>,
): Transcript => {
  const thread = threadAt(transcript, 0)
  const index = indexOf(thread, messageId) ?? -1
  const entry = itemAt(thread.entries, index)
  if (entry?.kind !== 'message') return transcript
  const { errorMessage: _, ...before } = entry.message
  const message = { ...before, delivery: state, ...(reason && { errorMessage: reason.message }) }
  return putEntry(transcript, { thread: 0, index }, { ...entry, message })
}

/** Removes a message, or only its blocks from `fromContentIndex` on. */
export const withdrawMessage = (
  transcript: Transcript,
  event: Incoming<'message_withdrawn'>,
): Transcript => {
  const { messageId, fromContentIndex = 0, parentToolCallId } = event
  const number = threadNumber(transcript, parentToolCallId)
  if (number === undefined) return transcript
  const thread = threadAt(transcript, number)
  const index = indexOf(thread, messageId)
  const entry = index === undefined ? undefined : itemAt(thread.entries, index)
  if (index === undefined || entry?.kind !== 'message') return transcript
  if (fromContentIndex === 0)
    return replaceEntries(
      transcript,
      number,
      listItems(thread.entries).filter((_, each) => each !== index),
    )
  const content = entry.message.content.slice(0, fromContentIndex)
  const message = { ...entry.message, content }
  return putEntry(transcript, { thread: number, index }, { ...entry, message })
}

/** The thread without an open message. A message that was open keeps the content it has. */
export const closeMessage = (thread: Thread): Thread => {
  const { open, entries } = thread
  const entry = open === null ? undefined : itemAt(entries, open)
  if (open === null || entry?.kind !== 'message') return thread
  const { stopReason = 'interrupted' } = entry.message
  const message = { ...entry.message, stopReason }
  return {
    ...thread,
    entries: setItem(entries, open, { ...entry, message, isStreaming: false }),
    open: null,
  }
}

const entryOf = (
  event: Incoming<'message_start' | 'message_end'>,
  message: Message,
  isStreaming: boolean,
): MessageEntry => ({
  kind: 'message',
  messageId: event.messageId,
  message,
  isStreaming,
  ...(event.timestamp !== undefined && { startedAt: event.timestamp }),
})

/** The index of a message. Looks at the open message first: most events are about that one. */
const indexOf = ({ open, entries }: Thread, messageId: string): number | undefined => {
  const matches = (entry: Entry | undefined) =>
    entry?.kind === 'message' && entry.messageId === messageId
  if (open !== null && matches(itemAt(entries, open))) return open
  const index = findLastIndex(entries, matches)
  return index === -1 ? undefined : index
}

/** The message after one streaming update; the same object if the update changes nothing. */
export const applyUpdate = (message: Message, update: AssistantMessageEvent): Message => {
  switch (update.type) {
    case 'text_start':
      return withBlock(message, update.contentIndex, (block) => growText(block, ''))
    case 'text_delta':
      return withBlock(message, update.contentIndex, (block) => growText(block, update.delta))
    case 'thinking_start':
      return withBlock(message, update.contentIndex, (block) => growThinking(block, ''))
    case 'thinking_delta':
      return withBlock(message, update.contentIndex, (block) => growThinking(block, update.delta))
    case 'tool_use_start':
      return withBlock(message, update.contentIndex, () => callBlock(update, update.input))
    case 'tool_use_end':
      return withBlock(message, update.contentIndex, () =>
        callBlock(update, update.input, update.blob),
      )
    case 'tool_use_input_delta':
      return withBlock(message, update.contentIndex, (block) => growArguments(block, update))
    case 'usage':
      return { ...message, usage: update.usage }
    case 'done':
      return update.reason === undefined ? message : { ...message, stopReason: update.reason }
    case 'error':
      return withError(message, update)
    default:
      return message
  }
}

/** How many blocks an agent can leave out of its stream. An index beyond that is ignored. */
const widestGap = 256

const withBlock = (
  message: Message,
  index: number,
  change: (block: Block | undefined) => Block,
): Message => {
  const { content } = message
  if (index > content.length + widestGap) return message
  const block = content[index]
  const after = change(block)
  if (after === block) return message
  const blocks = content.slice()
  // Blocks that are not streamed arrive with the end of the message. Until then they are empty.
  while (blocks.length < index) blocks.push({ type: 'text', text: '' })
  blocks[index] = after
  return { ...message, content: blocks }
}

const growText = (block: Block | undefined, delta: string): Block => {
  if (block?.type !== 'text' || typeof block.text !== 'string') return { type: 'text', text: delta }
  return delta === '' ? block : { type: 'text', text: grow(block.text, delta) }
}

const growThinking = (block: Block | undefined, delta: string): Block => {
  if (block?.type !== 'thinking' || typeof block.thinking !== 'string')
    return { type: 'thinking', thinking: delta }
  return delta === '' ? block : { ...block, thinking: grow(block.thinking, delta) }
}

const callBlock = (
  { toolCallId, name }: { toolCallId: string; name: string },
  input: unknown,
  blob?: BlobRef,
): Block => ({
  type: 'toolCall',
  id: toolCallId,
  name,
  arguments: input,
  ...(blob && { blob }),
})

const growArguments = (block: Block | undefined, update: ToolUseInputDeltaUpdate): Block => {
  const call = block?.type === 'toolCall' ? block : undefined
  const before = typeof call?.arguments === 'string' ? call.arguments : ''
  const name = typeof call?.name === 'string' ? call.name : ''
  return callBlock({ toolCallId: update.toolCallId, name }, grow(before, update.partialInput))
}

const withError = (message: Message, { reason, errorMessage }: ErrorUpdate): Message => ({
  ...message,
  stopReason: reason,
  ...(errorMessage !== undefined && { errorMessage }),
})
