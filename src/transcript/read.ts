import type { Entry, MessageEntry, ToolEntry } from './entry.ts'
import { at, items } from './list.ts'
import { entryAt, threadAt, threadNumber } from './threads.ts'
import type { Thread, Transcript } from './transcript.ts'

/** The main conversation, or what happened inside a call. */
export const threadOf = (transcript: Transcript, toolCallId?: string): Thread | undefined => {
  const number = threadNumber(transcript, toolCallId)
  return number === undefined ? undefined : threadAt(transcript, number)
}

/** The entries of a thread in reading order; none if there is no such thread. */
export const entriesOf = (transcript: Transcript, toolCallId?: string): Entry[] => {
  const thread = threadOf(transcript, toolCallId)
  return thread ? items(thread.entries) : []
}

/** The message in flight of a thread. */
export const messageInFlight = (
  transcript: Transcript,
  toolCallId?: string,
): MessageEntry | undefined => {
  const thread = threadOf(transcript, toolCallId)
  const entry = thread && thread.open !== null ? at(thread.entries, thread.open) : undefined
  return entry?.kind === 'message' ? entry : undefined
}

/** The tools that run now: those of the main conversation first, then those inside calls. */
export const runningTools = (transcript: Transcript): ToolEntry[] =>
  [...transcript.running.values()]
    .sort((left, right) => left.thread - right.thread || left.index - right.index)
    .flatMap((place) => {
      const entry = entryAt(transcript, place)
      return entry?.kind === 'tool' ? [entry] : []
    })
