import type { Message } from '../events/types.ts'
import { applyUpdate } from './blocks.ts'
import type { Entry, MessageEntry } from './entry.ts'
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
