import type { KeptFrom } from '../events/types.ts'
import { defined } from '../shared/fields.ts'
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
  compaction: defined({ reason, startedAt: timestamp }),
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
      : addNotice(transcript, event, { level: 'error', text: failureText(errorMessage) })
  const { transcript: opened, number } = openThread(transcript, parentToolCallId)
  const entries = listItems(threadAt(opened, number).entries)
  const kept = keptIndex(entries, event.keptFrom)
  return replaceEntries(opened, number, [...marked(entries, kept), summaryEntry(event)])
}

/** The agent starts a new conversation. What was said stays and is marked: the model no longer sees it. */
export const clearContext = (transcript: Transcript, event: Incoming): Transcript => {
  const entries = listItems(threadAt(transcript, 0).entries)
  const cleared = replaceEntries(transcript, 0, marked(entries, entries.length))
  const text = 'The conversation was cleared. The agent no longer sees what is above.'
  return {
    ...addNotice(cleared, event, { level: 'info', text }),
    retry: null,
    compaction: null,
    context: null,
    ...(transcript.todos && { todos: [] }),
  }
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
  const summary = entries.findLastIndex((entry) => roleOf(entry) === 'compactionSummary')
  if (summary === -1) return transcript
  const earlier = entries.slice(0, summary)
  const kept = marked(earlier, keptIndex(earlier, from))
  return replaceEntries(transcript, number, [...kept, ...entries.slice(summary)])
}

/** An agent may report a compaction without its summary, but with its size. */
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
      ...defined({ usage }),
    },
    isStreaming: false,
    ...defined({ startedAt: timestamp, tokensBefore, tokensAfter, reason }),
  }
}

/** Marks the entries before an index as out of the context, and the others as in it. */
const marked = (entries: readonly Entry[], kept: number): Entry[] =>
  entries.map((entry, index) => {
    if (entry.kind === 'notice') return entry
    const role = roleOf(entry)
    // Agents send their system prompt with every call.
    const isOut =
      isOver(entry) && role !== 'system' && (index < kept || role === 'compactionSummary')
    if (isOut === (entry.outOfContext === true)) return entry
    const { outOfContext: _, ...inContext } = entry
    return isOut ? { ...entry, outOfContext: true } : inContext
  })

/** The index of the first entry that the model still sees; the length if it sees none. */
const keptIndex = (entries: readonly Entry[], { id, timestamp, role }: KeptFrom = {}): number => {
  const named = id === undefined ? -1 : entries.findLastIndex((entry) => isNamed(entry, id))
  if (named !== -1 || timestamp === undefined) return named === -1 ? entries.length : named
  // A prompt and its answer can have the same time.
  const exact = entries.findIndex((entry) => timeOf(entry) === timestamp && roleOf(entry) === role)
  if (role !== undefined && exact !== -1) return exact
  const later = entries.findIndex((entry) => timeOf(entry) >= timestamp)
  const at = later === -1 ? entries.length : later
  // The agent’s time of a prompt is later than ours, so the entry after the prompt was found.
  const isPrompt = role === 'user' && roleOf(entries[at]) !== role
  const prompt = isPrompt ? entries.slice(0, at).findLastIndex((each) => roleOf(each) === role) : -1
  return prompt === -1 ? at : prompt
}

const timeOf = (entry: Entry): number =>
  entry.kind === 'message' ? (entry.message.timestamp ?? entry.startedAt ?? 0) : 0

const isNamed = (entry: Entry, id: string): boolean =>
  entry.kind === 'message'
    ? entry.messageId === id || entry.message.nativeId === id
    : entry.kind === 'tool' && entry.toolCallId === id

const roleOf = (entry: Entry | undefined): string | undefined =>
  entry?.kind === 'message' ? entry.message.role : undefined

/** Some agents say themselves what failed. */
const failureText = (errorMessage: string): string =>
  /compact/i.test(errorMessage) ? errorMessage : `The compaction failed: ${errorMessage}`
