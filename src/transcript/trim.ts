import { type Entry, isOver } from './entry.ts'
import { listItems } from './list.ts'
import { filterThreads, replaceEntries, threadAt } from './threads.ts'
import { emptyTranscript, type Thread, type Transcript } from './transcript.ts'

/** A transcript that was too long, in two parts. */
export interface TrimmedTranscript {
  /** The latest entries, and everything that is not over. `omitted` counts the others. */
  readonly transcript: Transcript
  /** The entries of the main conversation that were left out, oldest first. */
  readonly older: readonly Entry[]
}

/**
 * Leaves out the oldest entries of a transcript that has more than `limit` characters. About three
 * quarters of the limit stay, so that this is not needed again soon. The log still has every event.
 */
export const trimTranscript = (transcript: Transcript, limit: number): TrimmedTranscript => {
  const threads = listItems(transcript.threads)
  const total = threads.reduce((sum, thread) => sum + threadSize(thread), 0)
  if (total <= limit) return { transcript, older: [] }
  const excess = total - limit * 0.75
  const main = trimThread(transcript, 0, excess)
  // The conversation of a subagent may be longer than the main one.
  let { transcript: trimmed, left } = main
  for (let number = 1; left > 0 && number < trimmed.threads.length; number += 1)
    ({ transcript: trimmed, left } = trimThread(trimmed, number, left))
  return { transcript: trimmed, older: main.older }
}

/** A transcript of these entries alone. */
export const transcriptOfEntries = (entries: readonly Entry[]): Transcript =>
  replaceEntries(emptyTranscript(), 0, entries)

/** Leaves out the oldest entries of one thread, with the threads inside them. */
const trimThread = (before: Transcript, number: number, excess: number) => {
  const entries = listItems(threadAt(before, number).entries)
  const sizes = new Map(
    listItems(before.threads).map((each) => [each.toolCallId, threadSize(each)]),
  )
  const older: Entry[] = []
  const kept: Entry[] = []
  let left = excess
  for (const [index, entry] of entries.entries()) {
    if (left <= 0 || index === entries.length - 1 || !isOver(entry)) {
      kept.push(entry)
      continue
    }
    older.push(entry)
    left -= entrySize(entry)
    if (entry.kind === 'tool') left -= sizes.get(entry.toolCallId) ?? 0
  }
  if (older.length === 0) return { transcript: before, older, left }
  const tools = new Set(older.flatMap((entry) => (entry.kind === 'tool' ? entry.toolCallId : [])))
  const inside = ({ toolCallId }: Thread) => toolCallId !== null && tools.has(toolCallId)
  const shorter = replaceEntries(before, number, kept)
  const transcript = filterThreads(shorter, (thread) => !inside(thread))
  return { transcript: { ...transcript, omitted: before.omitted + older.length }, older, left }
}

const threadSize = ({ entries }: Thread): number => {
  let size = 0
  for (const entry of listItems(entries)) size += entrySize(entry)
  return size
}

/** Entries do not change, so each is measured once. */
const sizes = new WeakMap<Entry, number>()
const entrySize = (entry: Entry): number => {
  const known = sizes.get(entry)
  if (known !== undefined) return known
  const size = sizeOf(entry)
  sizes.set(entry, size)
  return size
}

/** About how many characters a value has as JSON. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  for (const [key, each] of Object.entries(value)) size += key.length + 3 + sizeOf(each)
  return size
}
