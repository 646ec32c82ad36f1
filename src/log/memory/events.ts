import { checksumOf } from '../checksum.ts'
import { checkNextSeq, serializeEvents } from '../event-batch.ts'
import type { EventStore } from '../log.ts'
import { parsePages, readPages } from '../read-pages.ts'
import { spendingIn } from '../spending-update.ts'
import type { MemoryContext } from './context.ts'
import { addSpending } from './spending.ts'

/** Events in memory, one list per session. */
export const createEventStore = (context: MemoryContext): EventStore => {
  const eventsOf = (sessionId: string): readonly string[] => {
    context.ensureOpen()
    return context.sessions.get(sessionId)?.events ?? []
  }

  const readText: EventStore['readText'] = (sessionId, after, limit) =>
    readPages(
      (last, count) => {
        const events = eventsOf(sessionId)
        return { texts: events.slice(last, last + count), more: last + count < events.length }
      },
      after,
      limit,
    )

  return {
    async append(sessionId, events) {
      const { first, texts } = serializeEvents(sessionId, events)
      const session = context.sessionOf(sessionId)
      if (texts.length > 0) checkNextSeq(sessionId, session.events.length + 1, first)
      for (const text of texts) session.events.push(text)
      // What an imported session used was not spent here.
      if (!session.record.includes('"imported":{'))
        addSpending(session.spending, spendingIn(events))
    },
    read: (sessionId, after, limit) => parsePages(readText(sessionId, after, limit)),
    readText,
    head: async (sessionId) => eventsOf(sessionId).length,
    async checksumAt(sessionId, seq) {
      const text = eventsOf(sessionId)[seq - 1]
      return text === undefined ? undefined : checksumOf(text)
    },
    eventBytes: async (sessionId, after, last) =>
      eventsOf(sessionId)
        .slice(after, last)
        .reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  }
}
