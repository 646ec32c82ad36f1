import type { Entry, MessageEntry, ToolEntry } from './entry.ts'
import { itemAt, listItems } from './list.ts'
import { entryAt, threadAt, threadNumber } from './threads.ts'
import type { Thread, Transcript } from './transcript.ts'

/** The main thread, or the thread of a tool call. */
export const threadOf = (transcript: Transcript, toolCallId?: string): Thread | undefined => {
  const number = threadNumber(transcript, toolCallId)
  return number === undefined ? undefined : threadAt(transcript, number)
}

/** The entries of a thread in reading order; empty if the thread does not exist. */
export const entriesOf = (transcript: Transcript, toolCallId?: string): Entry[] => {
  const thread = threadOf(transcript, toolCallId)
  return thread ? listItems(thread.entries) : []
}

/** The message of a thread that is still streaming. */
export const streamingMessage = (
  transcript: Transcript,
  toolCallId?: string,
): MessageEntry | undefined => {
  const thread = threadOf(transcript, toolCallId)
  const entry = thread && thread.open !== null ? itemAt(thread.entries, thread.open) : undefined
  return entry?.kind === 'message' ? entry : undefined
}

/** The running tools: those of the main thread first, then those inside tool calls. */
export const runningTools = (transcript: Transcript): ToolEntry[] =>
  [...transcript.running.values()]
    .sort((left, right) => left.thread - right.thread || left.index - right.index)
    .flatMap((position) => {
      const entry = entryAt(transcript, position)
      return entry?.kind === 'tool' ? [entry] : []
    })
