import { isOver, type MessageEntry } from './entry.ts'
import { listItems } from './list.ts'
import { addNotice } from './notices.ts'
import { filterThreads, openThread, replaceEntries, threadAt } from './threads.ts'
import type { Incoming, Thread, Transcript } from './transcript.ts'

/** The agent starts to summarise its context. */
export const startCompaction = (
  transcript: Transcript,
  { reason, timestamp }: Incoming<'compaction_start'>,
): Transcript => ({
  ...transcript,
  compaction: {
    ...(reason !== undefined && { reason }),
    ...(timestamp !== undefined && { startedAt: timestamp }),
  },
})

/** A summary replaces every entry that is over. Without a summary, nothing is removed. */
export const endCompaction = (
  before: Transcript,
  event: Incoming<'compaction_end'>,
): Transcript => {
  const transcript: Transcript = { ...before, compaction: null }
  const { summary, errorMessage, parentToolCallId } = event
  if (summary === undefined)
    return errorMessage === undefined
      ? transcript
      : addNotice(transcript, event, { level: 'error', text: errorMessage })
  const { transcript: opened, number } = openThread(transcript, parentToolCallId)
  const unfinished = listItems(threadAt(opened, number).entries).filter((entry) => !isOver(entry))
  const after = replaceEntries(opened, number, [summaryEntry(event, summary), ...unfinished])
  return number === 0
    ? filterThreads({ ...after, omitted: 0 }, (thread, each) => isActive(after, thread, each))
    : after
}

const summaryEntry = (event: Incoming<'compaction_end'>, summary: string): MessageEntry => ({
  kind: 'message',
  messageId: event.seq === undefined ? 'compaction' : `compaction-${event.seq}`,
  message: {
    role: 'compactionSummary',
    content: [{ type: 'text', text: summary }],
    ...(event.usage !== undefined && { usage: event.usage }),
  },
  isStreaming: false,
  ...(event.timestamp !== undefined && { startedAt: event.timestamp }),
  ...(event.tokensBefore !== undefined && { tokensBefore: event.tokensBefore }),
  ...(event.tokensAfter !== undefined && { tokensAfter: event.tokensAfter }),
})

/** True when more can happen in a thread. Such a thread is not part of the summary. */
const isActive = (transcript: Transcript, thread: Thread, number: number): boolean => {
  const { toolCallId, subagent, open } = thread
  if (open !== null || subagent?.isRunning) return true
  if (toolCallId !== null && transcript.running.has(toolCallId)) return true
  return [...transcript.running.values()].some((position) => position.thread === number)
}
