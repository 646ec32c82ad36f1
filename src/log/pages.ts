import { setImmediate as turn } from 'node:timers/promises'
import type { StampedEvent } from '../events/types.ts'
import type { TextPage } from './log.ts'

/** One look at the store: texts behind `after`, and whether there are more behind them. */
export type ReadPage = (after: number, rows: number) => { texts: readonly string[]; more: boolean }

const pageRows = 1000

/** Reads page by page; between two pages everybody else gets a turn. */
export async function* pagesOf(
  readPage: ReadPage,
  after: number,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<TextPage> {
  let last = Math.max(0, after)
  let left = limit
  while (left > 0) {
    const { texts, more } = readPage(last, Math.min(pageRows, left))
    if (texts.length > 0) yield { first: last + 1, texts }
    if (!more) return
    last += texts.length
    left -= texts.length
    await turn()
  }
}

/** The events of pages. */
export async function* eventsOf(pages: AsyncIterable<TextPage>): AsyncGenerator<StampedEvent> {
  for await (const { texts } of pages)
    for (const text of texts) {
      const event: StampedEvent = JSON.parse(text)
      yield event
    }
}
