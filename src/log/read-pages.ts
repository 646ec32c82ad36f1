import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StampedEvent } from '../events/types.ts'
import type { TextPage } from './log.ts'

/** Reads at most `limit` events after `after`; `more` says whether others follow them. */
export type ReadPage = (after: number, limit: number) => { texts: readonly string[]; more: boolean }

const pageSize = 1000

/** Reads events page by page. Between two pages the event loop gets a turn. */
export async function* readPages(
  readPage: ReadPage,
  after: number,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<TextPage> {
  let last = Math.max(0, after)
  let left = limit
  while (left > 0) {
    const { texts, more } = readPage(last, Math.min(pageSize, left))
    if (texts.length > 0) yield { first: last + 1, texts }
    if (!more) return
    last += texts.length
    left -= texts.length
    await nextTurn()
  }
}

/** Parses the events of pages. */
export async function* parsePages(pages: AsyncIterable<TextPage>): AsyncGenerator<StampedEvent> {
  for await (const { texts } of pages)
    for (const text of texts) {
      const event: StampedEvent = JSON.parse(text)
      yield event
    }
}
