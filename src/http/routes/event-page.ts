import type { Log, TextPage } from '../../log/log.ts'

/** A page is not longer than this, however many events were asked for; at least one is in it. */
const mostChars = 8 * 1024 * 1024

/** A page of events as JSON, from texts that are passed on unread. */
export const eventPageText = async (
  log: Log,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<string> => {
  const head = await log.head(sessionId)
  const events = await textsWithin(log.readText(sessionId, after, limit))
  const last = after + events.length
  const next = events.length > 0 && last < head ? `,"next":${last}` : ''
  return `{"events":[${events.join(',')}],"head":${Math.max(head, last)}${next}}`
}

const textsWithin = async (pages: AsyncIterable<TextPage>): Promise<string[]> => {
  const found: string[] = []
  let chars = 0
  for await (const { texts } of pages)
    for (const text of texts) {
      chars += text.length
      if (chars > mostChars && found.length > 0) return found
      found.push(text)
    }
  return found
}
