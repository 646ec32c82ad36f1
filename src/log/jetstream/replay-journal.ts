import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import { setAsideFault } from './journal.ts'
import type { EventsWrite, JournalWrite } from './journal-record.ts'
import { isUnreachable } from './patiently.ts'
import type { SetAside } from './set-aside.ts'

export interface JournalReplayOptions {
  log: Pick<Log, 'append' | 'head' | 'readText' | 'blobs'>
  setAside: SetAside
  /** Receives a fault for each session whose writes were set aside. */
  onError(cause: unknown): void
}

/**
 * Stores what the last process has left in its journal. Events that are stored already are compared and
 * skipped. A session that another node has continued is not touched: its part is set aside. Throws
 * `unreachable`: the journal is then replayed at the next start.
 */
export const replayJournal = async (
  writes: readonly JournalWrite[],
  options: JournalReplayOptions,
): Promise<void> => {
  const sessions = new Map<string, JournalWrite[]>()
  for (const write of writes) {
    const own = sessions.get(write.sessionId) ?? []
    sessions.set(write.sessionId, own)
    own.push(write)
  }
  for (const [sessionId, own] of sessions) await replaySession(sessionId, own, options)
}

const replaySession = async (
  sessionId: string,
  writes: readonly JournalWrite[],
  { log, setAside, onError }: JournalReplayOptions,
): Promise<void> => {
  let done = 0
  try {
    for (const write of writes) {
      if (write.kind === 'events') await replayEvents(write, log)
      else await log.blobs.put(sessionId, write.bytes, write.mimeType)
      done += 1
    }
  } catch (cause) {
    if (isUnreachable(cause) || !(cause instanceof LogFault)) throw cause
    const left = writes.slice(done)
    onError(setAsideFault(left, setAside(left), cause))
  }
}

/** How many events one append stores. */
const appendCount = 1000

/** Appends the events that are not stored yet. Those before must be the same as the stored ones. */
const replayEvents = async (
  { sessionId, first, texts }: EventsWrite,
  log: JournalReplayOptions['log'],
): Promise<void> => {
  const head = await log.head(sessionId)
  if (head < first - 1)
    throw new LogFault('gap', `Event ${head + 1} is missing before those of the journal.`)
  for await (const page of log.readText(sessionId, first - 1, texts.length))
    for (const [index, text] of page.texts.entries())
      if (texts[page.first + index - first] !== text)
        throw new LogFault('fenced', `Another node has written event ${page.first + index}.`)
  const left = texts.slice(head + 1 - first)
  for (let at = 0; at < left.length; at += appendCount)
    await log.append(sessionId, left.slice(at, at + appendCount).map(eventOf))
}

const eventOf = (text: string): StampedEvent => JSON.parse(text)
