import type { Entry } from './entry.ts'
import { createList, itemAt, type List, listItems, pushItem, setItem } from './list.ts'
import type { EntryPosition, Thread, Transcript } from './transcript.ts'

/** The number of a tool call’s thread, or 0 for the main one; undefined if it does not exist. */
export const threadNumber = (
  transcript: Transcript,
  toolCallId: string | undefined,
): number | undefined => (toolCallId === undefined ? 0 : transcript.threadOf.get(toolCallId))

/** The thread with a number. Throws if it does not exist. */
export const threadAt = (transcript: Transcript, number: number): Thread => {
  const thread = itemAt(transcript.threads, number)
  if (!thread) throw new Error(`no thread ${number}`)
  return thread
}

/** The number of a tool call’s thread, and the transcript with that thread added if it was missing. */
export const openThread = (
  transcript: Transcript,
  toolCallId: string | undefined,
): { transcript: Transcript; number: number } => {
  const existing = threadNumber(transcript, toolCallId)
  if (existing !== undefined || toolCallId === undefined)
    return { transcript, number: existing ?? 0 }
  const number = transcript.threads.length
  const thread: Thread = { toolCallId, subagent: null, entries: createList(), open: null }
  const threadOf = new Map(transcript.threadOf).set(toolCallId, number)
  const threads = pushItem(transcript.threads, thread)
  return { transcript: { ...transcript, threads, threadOf }, number }
}

/** The transcript with one thread replaced. */
export const putThread = (transcript: Transcript, number: number, thread: Thread): Transcript => ({
  ...transcript,
  threads: setItem(transcript.threads, number, thread),
})

/** The entry at a position. */
export const entryAt = (transcript: Transcript, position: EntryPosition): Entry | undefined =>
  itemAt(threadAt(transcript, position.thread).entries, position.index)

/** The transcript with one entry replaced. */
export const putEntry = (
  transcript: Transcript,
  position: EntryPosition,
  entry: Entry,
): Transcript => {
  const thread = threadAt(transcript, position.thread)
  const entries = setItem(thread.entries, position.index, entry)
  return putThread(transcript, position.thread, { ...thread, entries })
}

/** The transcript with an entry appended to a thread. */
export const appendEntry = (transcript: Transcript, number: number, entry: Entry): Transcript => {
  const index = threadAt(transcript, number).entries.length
  return putEntry(transcript, { thread: number, index }, entry)
}

/** The transcript with all entries of a thread replaced. Positions are computed again. */
export const replaceEntries = (
  transcript: Transcript,
  number: number,
  entries: readonly Entry[],
): Transcript => {
  const others = [...transcript.running].filter(([, position]) => position.thread !== number)
  const running = new Map(others)
  let open: number | null = null
  entries.forEach((entry, index) => {
    if (entry.kind === 'message' && entry.isStreaming) open = index
    if (entry.kind === 'tool' && entry.status === 'running')
      running.set(entry.toolCallId, { thread: number, index })
  })
  const thread: Thread = { ...threadAt(transcript, number), entries: createList(entries), open }
  return { ...putThread(transcript, number, thread), running }
}

/** The transcript with only the threads that match. The main thread always stays. */
export const filterThreads = (
  transcript: Transcript,
  matches: (thread: Thread, number: number) => boolean,
): Transcript => {
  const remaining = listItems(transcript.threads)
    .map((thread, number) => ({ thread, number }))
    .filter(({ thread, number }) => number === 0 || matches(thread, number))
  if (remaining.length === transcript.threads.length) return transcript
  const newNumbers = new Map(remaining.map(({ number }, newNumber) => [number, newNumber]))
  const threads: List<Thread> = createList(remaining.map(({ thread }) => thread))
  return {
    ...transcript,
    threads,
    threadOf: mapValues(transcript.threadOf, (number) => newNumbers.get(number)),
    running: mapValues(transcript.running, ({ thread, index }) => {
      const newNumber = newNumbers.get(thread)
      return newNumber === undefined ? undefined : { thread: newNumber, index }
    }),
  }
}

/** A map with each value replaced; entries whose new value is undefined are dropped. */
const mapValues = <Value>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value) => Value | undefined,
): Map<string, Value> => {
  const after = new Map<string, Value>()
  for (const [key, value] of map) {
    const changed = change(value)
    if (changed !== undefined) after.set(key, changed)
  }
  return after
}
