import { expect, test } from 'vitest'
import { eventPage } from '../../../src/api/conversation.ts'
import { eventPageText } from '../../../src/http/routes/event-text.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { session, textEvent } from '../../log/samples.ts'

const mb = 1_000_000

/** Reads all pages and returns the seqs in each. */
const pagesOf = async (sizes: readonly number[], limit: number): Promise<number[][]> => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s'))
  const events = sizes.map((size, index) => textEvent('s', index + 1, 'x'.repeat(size)))
  await log.append('s', events)
  const pages: number[][] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const text: string = await eventPageText(log, 's', { after, limit })
    const page = eventPage.parse(JSON.parse(text))
    expect(page.head).toBe(sizes.length)
    pages.push(page.events.map(({ seq }) => seq))
    after = page.next
  }
  return pages
}

test('a page has as many events as requested', async () => {
  expect(await pagesOf([1, 1, 1, 1, 1], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(await pagesOf([], 2)).toEqual([[]])
})

test('a page of large events has fewer, but at least one', async () => {
  const sizes = [3 * mb, 3 * mb, 3 * mb, 9 * mb, 1]
  expect(await pagesOf(sizes, 5000)).toEqual([[1, 2], [3], [4], [5]])
})
