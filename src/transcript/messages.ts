import type { Message } from '../events/types.ts'
import { updated } from './blocks.ts'
import type { Entry, MessageEntry } from './entry.ts'
import { at, findLast, items, set } from './list.ts'
import { openThread, putEntry, putThread, threadAt, threadNumber, withEntries } from './threads.ts'
import type { Incoming, Thread, Transcript } from './transcript.ts'

/** A message begins: from now on it is the one in flight of its thread. */
export const startMessage = (
  transcript: Transcript,
  event: Incoming<'message_start'>,
): Transcript => {
  const { transcript: opened, number } = openThread(transcript, event.parentToolCallId)
  const thread = closed(threadAt(opened, number))
  const message: Message = {
    role: event.messageRole,
    content: [],
    ...(event.model !== undefined && { model: event.model }),
  }
  const index = thread.entries.length
  const entries = set(thread.entries, index, entryOf(event, message, true))
  return putThread(opened, number, { ...thread, entries, open: index })
}

/** The message in flight grows. An update of any other is void: its end will tell the whole. */
export const updateMessage = (
  transcript: Transcript,
  event: Incoming<'message_update'>,
): Transcript => {
  const number = threadNumber(transcript, event.parentToolCallId)
  if (number === undefined) return transcript
  const { open, entries } = threadAt(transcript, number)
  const entry = open === null ? undefined : at(entries, open)
  if (open === null || entry?.kind !== 'message' || entry.messageId !== event.messageId)
    return transcript
  const message = updated(entry.message, event.assistantMessageEvent)
  if (message === entry.message) return transcript
  return putEntry(transcript, { thread: number, index: open }, { ...entry, message })
}

/** A message is complete: what it says now replaces what was streamed. */
export const endMessage = (transcript: Transcript, event: Incoming<'message_end'>): Transcript => {
  const { transcript: opened, number } = openThread(transcript, event.parentToolCallId)
  const thread = threadAt(opened, number)
  const known = placeOf(thread, event.messageId)
  const index = known ?? thread.entries.length
  const before = at(thread.entries, index)
  const entry: MessageEntry =
    before?.kind === 'message'
      ? { ...before, message: event.message, isStreaming: false }
      : entryOf(event, event.message, false)
  const entries = set(thread.entries, index, entry)
  return putThread(opened, number, {
    ...thread,
    entries,
    open: thread.open === index ? null : thread.open,
  })
}

/** What was said is taken back: the whole message, or its blocks from one on. */
export const withdrawMessage = (
  transcript: Transcript,
  event: Incoming<'message_withdrawn'>,
): Transcript => {
  const { messageId, fromContentIndex = 0, parentToolCallId } = event
  const number = threadNumber(transcript, parentToolCallId)
  if (number === undefined) return transcript
  const thread = threadAt(transcript, number)
  const index = placeOf(thread, messageId)
  const entry = index === undefined ? undefined : at(thread.entries, index)
  if (index === undefined || entry?.kind !== 'message') return transcript
  if (fromContentIndex === 0)
    return withEntries(
      transcript,
      number,
      items(thread.entries).filter((_, place) => place !== index),
    )
  const content = entry.message.content.slice(0, fromContentIndex)
  const message = { ...entry.message, content }
  return putEntry(transcript, { thread: number, index }, { ...entry, message })
}

/** The thread with no message in flight: one that was is left as it stands. */
export const closed = (thread: Thread): Thread => {
  const { open, entries } = thread
  const entry = open === null ? undefined : at(entries, open)
  if (open === null || entry?.kind !== 'message') return thread
  const { stopReason = 'interrupted' } = entry.message
  const message = { ...entry.message, stopReason }
  return {
    ...thread,
    entries: set(entries, open, { ...entry, message, isStreaming: false }),
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

/** Where a message is: most often it is the one in flight. */
const placeOf = ({ open, entries }: Thread, messageId: string): number | undefined => {
  const isMeant = (entry: Entry | undefined) =>
    entry?.kind === 'message' && entry.messageId === messageId
  if (open !== null && isMeant(at(entries, open))) return open
  const index = findLast(entries, isMeant)
  return index === -1 ? undefined : index
}
