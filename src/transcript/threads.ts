import type { Entry } from './entry.ts'
import { at, items, type List, listOf, push, set } from './list.ts'
import type { EntryPosition, Thread, Transcript } from './transcript.ts'

/** Number of the thread inside a call, or of the main one; undefined when there is none yet. */
export const threadNumber = (
  transcript: Transcript,
  toolCallId: string | undefined,
): number | undefined => (toolCallId === undefined ? 0 : transcript.threadOf.get(toolCallId))

/** The thread of a number that is known to be there. */
export const threadAt = (transcript: Transcript, number: number): Thread => {
  const thread = at(transcript.threads, number)
  if (!thread) throw new Error(`no thread ${number}`)
  return thread
}

/** The transcript with a thread inside the call, and its number. */
export const openThread = (
  transcript: Transcript,
  toolCallId: string | undefined,
): { transcript: Transcript; number: number } => {
  const known = threadNumber(transcript, toolCallId)
  if (known !== undefined || toolCallId === undefined) return { transcript, number: known ?? 0 }
  const number = transcript.threads.length
  const thread: Thread = { toolCallId, subagent: null, entries: listOf(), open: null }
  const threadOf = new Map(transcript.threadOf).set(toolCallId, number)
  const threads = push(transcript.threads, thread)
  return { transcript: { ...transcript, threads, threadOf }, number }
}

/** The transcript with one thread changed. */
export const putThread = (transcript: Transcript, number: number, thread: Thread): Transcript => ({
  ...transcript,
  threads: set(transcript.threads, number, thread),
})

/** What is at a place. */
export const entryAt = (transcript: Transcript, place: EntryPosition): Entry | undefined =>
  at(threadAt(transcript, place.thread).entries, place.index)

/** The transcript with one entry changed. */
export const putEntry = (
  transcript: Transcript,
  place: EntryPosition,
  entry: Entry,
): Transcript => {
  const thread = threadAt(transcript, place.thread)
  const entries = set(thread.entries, place.index, entry)
  return putThread(transcript, place.thread, { ...thread, entries })
}

/** The transcript with an entry more at the end of a thread. */
export const append = (transcript: Transcript, number: number, entry: Entry): Transcript => {
  const index = threadAt(transcript, number).entries.length
  return putEntry(transcript, { thread: number, index }, entry)
}

/** The transcript with all entries of a thread replaced, and found again where they are now. */
export const withEntries = (
  transcript: Transcript,
  number: number,
  entries: readonly Entry[],
): Transcript => {
  const running = new Map([...transcript.running].filter(([, place]) => place.thread !== number))
  let open: number | null = null
  entries.forEach((entry, index) => {
    if (entry.kind === 'message' && entry.isStreaming) open = index
    if (entry.kind === 'tool' && entry.status === 'running')
      running.set(entry.toolCallId, { thread: number, index })
  })
  const thread: Thread = { ...threadAt(transcript, number), entries: listOf(entries), open }
  return { ...putThread(transcript, number, thread), running }
}

/** The transcript without the threads that are not meant; the main one always stays. */
export const keepThreads = (
  transcript: Transcript,
  isMeant: (thread: Thread, number: number) => boolean,
): Transcript => {
  const kept = items(transcript.threads)
    .map((thread, number) => ({ thread, number }))
    .filter(({ thread, number }) => number === 0 || isMeant(thread, number))
  if (kept.length === transcript.threads.length) return transcript
  const numbers = new Map(kept.map(({ number }, now) => [number, now]))
  const threads: List<Thread> = listOf(kept.map(({ thread }) => thread))
  return {
    ...transcript,
    threads,
    threadOf: moved(transcript.threadOf, (number) => numbers.get(number)),
    running: moved(transcript.running, ({ thread, index }) => {
      const now = numbers.get(thread)
      return now === undefined ? undefined : { thread: now, index }
    }),
  }
}

/** A map with its values exchanged; those without a new one are gone. */
const moved = <Value>(
  map: ReadonlyMap<string, Value>,
  move: (value: Value) => Value | undefined,
): Map<string, Value> => {
  const after = new Map<string, Value>()
  for (const [key, value] of map) {
    const now = move(value)
    if (now !== undefined) after.set(key, now)
  }
  return after
}
