import type { Log } from '../../log/log.ts'

/** A page of events as JSON, from texts that are passed on unread. */
export const eventPageText = async (
  log: Log,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<string> => {
  const head = await log.head(sessionId)
  const events: string[] = []
  for await (const page of log.readText(sessionId, after, limit)) events.push(...page.texts)
  const last = after + events.length
  const next = events.length > 0 && last < head ? `,"next":${last}` : ''
  return `{"events":[${events.join(',')}],"head":${Math.max(head, last)}${next}}`
}
