import { type EventCursor, formatEventCursor } from '../../api/cursors.ts'
import { checksumOf } from '../../log/checksum.ts'
import { damagedEvent } from '../../log/damage.ts'
import type { Log, TextPage } from '../../log/log.ts'
import { oneLineJson } from '../../shared/one-line-json.ts'
import { resumeAt } from '../../streams/log-cursor.ts'
import { requireSession, sessionDamaged } from '../require-session.ts'

/** The most characters of a page. A page has at least one event, however large. */
const maxChars = 8 * 1024 * 1024

// Stored events are copied as text, without being parsed.

/** A page of events as JSON. */
export const eventPageText = async (
  log: Log,
  sessionId: string,
  { after, limit }: { after: EventCursor; limit: number },
): Promise<string> => {
  const start = await resumeAt(log, sessionId, after)
  const events =
    start === undefined ? [] : await textsUpToLimit(log.readText(sessionId, after.seq, limit))
  // After the read, which may have found damage.
  const { damage } = await requireSession(log, sessionId)
  const head = await log.head(sessionId)
  // The page after the last readable event says what is damaged.
  if (damage?.seq !== undefined && events.length === 0 && after.seq + 1 >= damage.seq)
    throw sessionDamaged(sessionId, damage)
  if (start === undefined) return JSON.stringify({ events: [], head, cursor: '0', gap: true })
  const last = after.seq + events.length
  const lastText = events.at(-1)
  const cursor = lastText === undefined ? start : formatEventCursor(last, checksumOf(lastText))
  const hasNext = lastText !== undefined && (last < head || damage?.seq !== undefined)
  const next = hasNext ? `,"next":"${cursor}"` : ''
  const page = `"head":${Math.max(head, last)},"cursor":"${cursor}"${next}`
  return `{"events":[${events.join(',')}],${page}}`
}

/** All events of a session, one per line. A damaged session ends with a line about that. */
export async function* eventLines(log: Log, sessionId: string): AsyncGenerator<string> {
  for await (const { texts } of log.readText(sessionId, 0))
    yield `${oneLineJson(texts.join('\n'))}\n`
  const damage = (await log.sessions.get(sessionId))?.damage
  if (damage) yield `${JSON.stringify(damagedEvent(sessionId, damage))}\n`
}

const textsUpToLimit = async (pages: AsyncIterable<TextPage>): Promise<string[]> => {
  const found: string[] = []
  let chars = 0
  for await (const { texts } of pages)
    for (const text of texts) {
      chars += text.length
      if (chars > maxChars && found.length > 0) return found
      found.push(text)
    }
  return found
}
