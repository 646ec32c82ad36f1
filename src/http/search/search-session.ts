import type { SearchHit } from '../../api/types.ts'
import type { LogReader } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import {
  parseSnapshot,
  type UnpackedSnapshot,
  unpackSnapshot,
} from '../../streams/snapshots/stored-snapshot.ts'
import { createBoundedFold } from '../../transcript/bounded-fold.ts'
import { type Entry, emptyTranscript, entriesOf, fromSnapshot } from '../../transcript/index.ts'
import { searchableText } from './searchable-text.ts'

/** The most hits of one session, so that a long session does not hide the others. */
export const hitsPerSession = 20

/** So many characters of a long session are in memory at a time. */
const partChars = 32 * 1024 * 1024

/** What is searched for, and for how long. */
export interface SearchPhrase {
  /** In lower case. */
  phrase: string
  /** Throws when the time is over. */
  checkTime(): void
}

/** Finds a phrase in a session. Returns one hit above the limit when there are more. */
export const searchSession = async (
  log: LogReader,
  record: SessionRecord,
  search: SearchPhrase,
): Promise<SearchHit[]> => {
  const recordHits = hitsInRecord(record, search.phrase)
  const packed = await log.snapshots.get(record.id)
  const unpacked = packed && unpackSnapshot(packed)
  // What a snapshot leaves out of a long session is found in the events.
  const stored = unpacked?.isTrimmed ? undefined : unpacked
  if (!(await mayContain(log, record.id, stored, search))) return recordHits
  const entryHits = await hitsInEntries(log, record, stored, search)
  return [...recordHits, ...entryHits].slice(0, hitsPerSession + 1)
}

/** Looks for the phrase in the stored JSON, unparsed: most sessions need no more than that. */
const mayContain = async (
  log: LogReader,
  sessionId: string,
  stored: UnpackedSnapshot | undefined,
  { phrase, checkTime }: SearchPhrase,
): Promise<boolean> => {
  const escaped = JSON.stringify(phrase).slice(1, -1)
  const contains = (text: string) => text.toLowerCase().includes(escaped)
  if (stored && contains(stored.text)) return true
  for await (const { texts } of log.readText(sessionId, stored?.seq ?? 0)) {
    checkTime()
    if (texts.some(contains)) return true
  }
  return false
}

/** Looks for the phrase in what a reader of the session sees. */
const hitsInEntries = async (
  log: LogReader,
  record: SessionRecord,
  stored: UnpackedSnapshot | undefined,
  { phrase, checkTime }: SearchPhrase,
): Promise<SearchHit[]> => {
  const start = stored ? fromSnapshot(parseSnapshot(stored)) : emptyTranscript(record.id)
  let messageId: string | undefined
  const hitsIn = (entries: readonly Entry[]): SearchHit[] =>
    entries.flatMap((entry) => {
      if (entry.kind === 'message') messageId = entry.messageId
      const text = searchableText(entry)
      const at = text.toLowerCase().indexOf(phrase)
      return at === -1 ? [] : [hitOf(record, excerptAt(text, at), messageId)]
    })
  const older: SearchHit[] = []
  const fold = createBoundedFold(start, partChars)
  for await (const { texts } of log.readText(record.id, start.seq))
    for (const text of texts) {
      checkTime()
      older.push(...hitsIn(fold.push(text)))
      if (older.length > hitsPerSession) return older
    }
  return [...older, ...hitsIn(entriesOf(fold.get()))]
}

/** Looks for the phrase in the name, directory, agent and model of the session. */
const hitsInRecord = (record: SessionRecord, phrase: string): SearchHit[] => {
  const { name, cwd, agent, model } = record
  const text = [name, cwd, agent, model].filter((each) => each !== undefined).join(' · ')
  return text.toLowerCase().includes(phrase) ? [hitOf(record, text)] : []
}

const hitOf = (
  { id, name, title, cwd }: SessionRecord,
  excerpt: string,
  messageId?: string,
): SearchHit => ({
  sessionId: id,
  ...(name !== undefined && { name }),
  ...(title !== undefined && { title }),
  cwd,
  ...(messageId !== undefined && { messageId }),
  excerpt,
})

/** A short excerpt of a text around a position, on one line. */
const excerptAt = (text: string, at: number): string => {
  const from = Math.max(0, at - 60)
  return `${from > 0 ? '…' : ''}${text
    .slice(from, at + 240)
    .replace(/\s+/g, ' ')
    .trim()}`
}
