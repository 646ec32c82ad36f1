import type { KeptFrom } from '../events/types.ts'
import { type Entry, isOver, type MessageEntry } from './entry.ts'
import { listItems } from './list.ts'
import { addNotice } from './notices.ts'
import { openThread, replaceEntries, threadAt, threadNumber } from './threads.ts'
import type { Incoming, Transcript } from './transcript.ts'

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

/**
 * The summary joins the conversation. Everything before it stays and is marked: the model no longer
 * sees it. A compaction that failed changes nothing.
 */
export const endCompaction = (
  before: Transcript,
  event: Incoming<'compaction_end'>,
): Transcript => {
  const transcript: Transcript = { ...before, compaction: null }
  const { errorMessage, parentToolCallId } = event
  if (!hasCompacted(event))
    return errorMessage === undefined
      ? transcript
      : addNotice(transcript, event, { level: 'error', text: errorMessage })
  const { transcript: opened, number } = openThread(transcript, parentToolCallId)
  const entries = listItems(threadAt(opened, number).entries)
  const kept = keptIndex(entries, event.keptFrom)
  return replaceEntries(opened, number, [...marked(entries, kept), summaryEntry(event)])
}

/** The agent reports which messages from before its last compaction the model still sees. */
export const keepInContext = (
  transcript: Transcript,
  { parentToolCallId }: Incoming,
  from: KeptFrom,
): Transcript => {
  const number = threadNumber(transcript, parentToolCallId)
  if (number === undefined) return transcript
  const entries = listItems(threadAt(transcript, number).entries)
  const summary = entries.findLastIndex(isSummary)
  if (summary === -1) return transcript
  const earlier = entries.slice(0, summary)
  const kept = marked(earlier, keptIndex(earlier, from))
  return replaceEntries(transcript, number, [...kept, ...entries.slice(summary)])
}

/** Versions of Claude Code report a compaction without its summary, but with its size. */
const hasCompacted = ({
  summary,
  tokensBefore,
  errorMessage,
  aborted,
}: Incoming<'compaction_end'>): boolean =>
  summary !== undefined || (tokensBefore !== undefined && errorMessage === undefined && !aborted)

const summaryEntry = (event: Incoming<'compaction_end'>): MessageEntry => {
  const { seq, summary, usage, timestamp, tokensBefore, tokensAfter, reason } = event
  return {
    kind: 'message',
    messageId: seq === undefined ? 'compaction' : `compaction-${seq}`,
    message: {
      role: 'compactionSummary',
      content: summary === undefined ? [] : [{ type: 'text', text: summary }],
      ...(usage !== undefined && { usage }),
    },
    isStreaming: false,
    ...(timestamp !== undefined && { startedAt: timestamp }),
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(tokensAfter !== undefined && { tokensAfter }),
    ...(reason !== undefined && { reason }),
  }
}

/** Marks the entries before an index as out of the context, and the others as in it. */
const marked = (entries: readonly Entry[], kept: number): Entry[] =>
  entries.map((entry, index) => {
    if (entry.kind === 'notice') return entry
    const isOut = isOver(entry) && !isSystem(entry) && (index < kept || isSummary(entry))
    if (isOut === (entry.outOfContext === true)) return entry
    const { outOfContext: _, ...inContext } = entry
    return isOut ? { ...entry, outOfContext: true } : inContext
  })

/** The index of the first entry that the model still sees; the length if it sees none. */
const keptIndex = (entries: readonly Entry[], from: KeptFrom | undefined): number => {
  if (from?.id !== undefined) {
    const index = entries.findLastIndex((entry) => isNamed(entry, from.id))
    if (index !== -1) return index
  }
  return from?.timestamp === undefined
    ? entries.length
    : indexAtTime(entries, from.timestamp, from.role)
}

/**
 * A message that Sluice sent has the time at which it was sent, and the agent’s time of it is later:
 * the first entry after it is found instead, so the search goes back to the message.
 */
const indexAtTime = (
  entries: readonly Entry[],
  timestamp: number,
  role: string | undefined,
): number => {
  const index = entries.findIndex((entry) => (timeOf(entry) ?? 0) >= timestamp)
  const found = index === -1 ? entries.length : index
  const at = entries[found]
  if (role !== 'user' || (at && isUser(at))) return found
  const prompt = entries.slice(0, found).findLastIndex(isUser)
  return prompt === -1 ? found : prompt
}

const timeOf = (entry: Entry): number | undefined =>
  entry.kind === 'message' ? (entry.message.timestamp ?? entry.startedAt) : undefined

const isNamed = (entry: Entry, id: string | undefined): boolean => {
  if (entry.kind === 'message') return entry.messageId === id || entry.message.nativeId === id
  return entry.kind === 'tool' && entry.toolCallId === id
}

const isUser = (entry: Entry): boolean => entry.kind === 'message' && entry.message.role === 'user'

/** Agents send their system prompt with every call. */
const isSystem = (entry: Entry): boolean =>
  entry.kind === 'message' && entry.message.role === 'system'

const isSummary = (entry: Entry): boolean =>
  entry.kind === 'message' && entry.message.role === 'compactionSummary'
