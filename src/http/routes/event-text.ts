import type { Log, TextPage } from '../../log/log.ts'

/** The most characters of a page. A page has at least one event, however large. */
const maxChars = 8 * 1024 * 1024

// Stored events are copied as text, without being parsed.

/** A page of events as JSON. */
export const eventPageText = async (
  log: Log,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<string> => {
  const head = await log.head(sessionId)
  const events = await textsUpToLimit(log.readText(sessionId, after, limit))
  const last = after + events.length
  const next = events.length > 0 && last < head ? `,"next":${last}` : ''
  return `{"events":[${events.join(',')}],"head":${Math.max(head, last)}${next}}`
}

/** All events of a session, one per line. */
export async function* eventLines(log: Log, sessionId: string): AsyncGenerator<string> {
  for await (const { texts } of log.readText(sessionId, 0)) yield `${texts.join('\n')}\n`
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
