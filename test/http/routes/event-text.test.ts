import { describe, expect, test } from 'vitest'
import { eventPage } from '../../../src/api/conversation.ts'
import { type EventCursor, parseEventCursor } from '../../../src/api/cursors.ts'
import { eventPageText } from '../../../src/http/routes/event-text.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { session, textEvent } from '../../log/samples.ts'
import { cursorAfter } from '../../streams/reader.ts'

const mb = 1_000_000

/** Reads all pages and returns the seqs in each. */
const pagesOf = async (sizes: readonly number[], limit: number): Promise<number[][]> => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s'))
  const events = sizes.map((size, index) => textEvent('s', index + 1, 'x'.repeat(size)))
  await log.append('s', events)
  const pages: number[][] = []
  for (let next: string | undefined = '0'; next !== undefined; ) {
    const after: EventCursor = parseEventCursor(next) ?? { seq: -1 }
    const text: string = await eventPageText(log, 's', { after, limit })
    const page = eventPage.parse(JSON.parse(text))
    expect(page.head).toBe(sizes.length)
    pages.push(page.events.map(({ seq }) => seq))
    next = page.next
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

describe('a cursor', () => {
  const openLog = async () => {
    const log = await openMemoryLog()
    await log.sessions.create(session('s'))
    const events = [1, 2, 3].map((seq) => textEvent('s', seq, `${seq}`))
    await log.append('s', events)
    const read = async (after: string) =>
      eventPage.parse(
        JSON.parse(
          await eventPageText(log, 's', {
            after: parseEventCursor(after) ?? { seq: -1 },
            limit: 2,
          }),
        ),
      )
    return { log, read, cursors: events.map((event) => cursorAfter([event])) }
  }

  test('leads to the next page, and to what comes later', async () => {
    const { log, read, cursors } = await openLog()
    const first = await read('0')
    expect(first).toMatchObject({ head: 3, cursor: cursors[1], next: cursors[1] })
    const last = await read(first.cursor)
    expect(last).toMatchObject({ events: [{ seq: 3 }], head: 3, cursor: cursors[2] })
    expect(last).not.toHaveProperty('next')
    expect(await read(last.cursor)).toEqual({ events: [], head: 3, cursor: cursors[2] })
    await log.append('s', [textEvent('s', 4, 'later')])
    expect(await read(last.cursor)).toMatchObject({ events: [{ seq: 4 }], head: 4 })
  })

  test.each([
    ['beyond the last event', '4'],
    ['far beyond it', '999999999'],
    ['of another event with this seq', '2-00000000'],
    ['of no event', '0-00000000'],
  ])('%s gets an empty page with the true head and a gap', async (_, cursor) => {
    const { read } = await openLog()
    expect(await read(cursor)).toEqual({ events: [], head: 3, cursor: '0', gap: true })
  })

  test('that is a bare seq is not checked', async () => {
    const { read, cursors } = await openLog()
    expect(await read('2')).toMatchObject({ events: [{ seq: 3 }], cursor: cursors[2] })
    expect(await read('3')).toEqual({ events: [], head: 3, cursor: cursors[2] })
  })
})
