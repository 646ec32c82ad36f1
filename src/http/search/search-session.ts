import type { SearchHit } from '../../api/types.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import {
  parseSnapshot,
  type UnpackedSnapshot,
  unpackSnapshot,
} from '../../streams/snapshots/stored-snapshot.ts'
import { apply, emptyTranscript, entriesOf, fromSnapshot } from '../../transcript/index.ts'
import { searchTerms } from './words.ts'

/** So many of one session: a talkative one must not hide the others. */
export const hitsPerSession = 20

/** The places of a session where the words occur, one more than its limit if there are more. */
export const searchSession = async (
  log: Log,
  record: SessionRecord,
  wanted: string,
): Promise<SearchHit[]> => {
  const about = hitIn(record, wanted)
  const kept = await log.snapshots.get(record.id)
  const stored = kept && unpackSnapshot(kept)
  if (!(await mayHold(log, record.id, stored, wanted))) return about
  return [...about, ...(await hitsIn(log, record, stored, wanted))].slice(0, hitsPerSession + 1)
}

/** Whether the words occur in what is stored, read as text: most sessions need no more than that. */
const mayHold = async (
  log: Log,
  sessionId: string,
  stored: UnpackedSnapshot | undefined,
  wanted: string,
): Promise<boolean> => {
  const escaped = JSON.stringify(wanted).slice(1, -1)
  const holds = (text: string) => text.toLowerCase().includes(escaped)
  if (stored && holds(stored.text)) return true
  for await (const { texts } of log.readText(sessionId, stored?.seq ?? 0))
    if (texts.some(holds)) return true
  return false
}

/** The words among what a reader of the session would see; nothing of it is kept. */
const hitsIn = async (
  log: Log,
  record: SessionRecord,
  stored: UnpackedSnapshot | undefined,
  wanted: string,
): Promise<SearchHit[]> => {
  let transcript = stored ? fromSnapshot(parseSnapshot(stored)) : emptyTranscript(record.id)
  for await (const event of log.read(record.id, transcript.seq))
    transcript = apply(transcript, event)
  let messageId: string | undefined
  return entriesOf(transcript).flatMap((entry) => {
    if (entry.kind === 'message') messageId = entry.messageId
    const text = searchTerms(entry)
    const at = text.toLowerCase().indexOf(wanted)
    if (at === -1) return []
    return [hitOf(record, around(text, at), messageId)]
  })
}

/** A session whose own name, directory, agent or model has the words. */
const hitIn = (record: SessionRecord, wanted: string): SearchHit[] => {
  const { name, cwd, agent, model } = record
  const words = [name, cwd, agent, model].filter((each) => each !== undefined).join(' · ')
  return words.toLowerCase().includes(wanted) ? [hitOf(record, words)] : []
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

/** The line around a place, and not more of it than a screen shows. */
const around = (text: string, at: number): string => {
  const from = Math.max(0, at - 60)
  return `${from > 0 ? '…' : ''}${text
    .slice(from, at + 240)
    .replace(/\s+/g, ' ')
    .trim()}`
}
