import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import type { Log } from '../../src/log/index.ts'
import { all, events, said, seqs, session } from './samples.ts'

/** What every log promises of the events themselves. */
export const eventsContract = (opened: () => Promise<Log>): void => {
  test('what was appended is read, from any place, up to any number', async () => {
    const log = await opened()
    await log.sessions.create(session('a'))
    expect(await log.head('a')).toBe(0)
    expect(await seqs(log, 'a')).toEqual([])
    await log.append('a', events('a', 1, 3))
    await log.append('a', [])
    await log.append('a', events('a', 4, 2))
    expect(await log.head('a')).toBe(5)
    expect(await all(log.read('a', 0))).toEqual(events('a', 1, 5))
    expect(await all(log.read('a', 2, 2))).toEqual(events('a', 3, 2))
    expect(await all(log.read('a', 0, 0))).toEqual([])
    expect(await all(log.read('a', 5))).toEqual([])
    expect(await all(log.read('a', 99))).toEqual([])
    expect(await all(log.read('nobody', 0))).toEqual([])
    expect(await log.head('nobody')).toBe(0)
  })

  test('a gap, a repeat and a foreign event are refused, whole, and the session goes on', async () => {
    const log = await opened()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    await log.append('a', events('a', 1, 2))
    const refused: [string, readonly StampedEvent[]][] = [
      ['gap', events('a', 4, 1)],
      ['gap', [...events('a', 3, 1), ...events('a', 5, 1)]],
      ['repeat', events('a', 2, 1)],
      ['repeat', events('a', 1, 3)],
      ['repeat', [...events('a', 3, 2), ...events('a', 4, 1)]],
      ['foreign_event', [...events('a', 3, 1), ...events('b', 4, 1)]],
    ]
    for (const [code, batch] of refused)
      await expect(log.append('a', batch)).rejects.toMatchObject({ name: 'LogFault', code })
    const lost = log.append('nobody', events('nobody', 1, 1))
    await expect(lost).rejects.toMatchObject({ code: 'unknown_session' })
    await log.append('a', events('a', 3, 1))
    expect(await seqs(log, 'a')).toEqual([1, 2, 3])
    expect(await seqs(log, 'b')).toEqual([])
  })

  test('appends of one turn keep their order; one that is refused hurts no other', async () => {
    const log = await opened()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    const outcomes = await Promise.allSettled([
      log.append('a', events('a', 1, 2)),
      log.append('b', events('b', 1, 1)),
      log.append('a', events('a', 4, 1)),
      log.append('a', events('a', 3, 2)),
      log.append('b', events('b', 1, 1)),
      log.append('b', events('b', 2, 1)),
    ])
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ])
    expect(await seqs(log, 'a')).toEqual([1, 2, 3, 4])
    expect(await seqs(log, 'b')).toEqual([1, 2])
  })

  test('what head says is what a reader finds, before an append is done and after', async () => {
    const log = await opened()
    await log.sessions.create(session('a'))
    const storing = log.append('a', events('a', 1, 2))
    const before = await log.head('a')
    expect(await all(log.read('a', 0, before))).toHaveLength(before)
    await storing
    expect(await log.head('a')).toBe(2)
    expect(await seqs(log, 'a')).toEqual([1, 2])
  })

  test('an event is kept as it was when it was given', async () => {
    const log = await opened()
    await log.sessions.create(session('a'))
    const mutable = said('a', 1, 'before')
    const storing = log.append('a', [mutable])
    mutable.timestamp = 0
    await storing
    expect(await all(log.read('a', 0))).toEqual([said('a', 1, 'before')])
  })

  test('stored text is the event’s JSON, with every half of a surrogate pair', async () => {
    const log = await opened()
    await log.sessions.create(session('a'))
    const odd = ['\ud83d', '\ude42', '\u0000', '\u2028"\\', 'ü🙂', ''].map((text, index) =>
      said('a', index + 1, text),
    )
    await log.append('a', odd)
    const pages = await all(log.readText('a', 2))
    expect(pages.flatMap(({ texts }) => texts)).toEqual(
      odd.slice(2).map((each) => JSON.stringify(each)),
    )
    expect(pages[0]?.first).toBe(3)
    expect(await all(log.read('a', 0))).toEqual(odd)
  })

  test('a long session is read in pages', async () => {
    const log = await opened()
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 3000))
    const large = Array.from({ length: 20 }, (_, index) => said('a', 3001 + index, big))
    await log.append('a', large)
    await log.append('a', events('a', 3021, 100))
    let next = 1
    for await (const { first, texts } of log.readText('a', 0)) {
      expect(first).toBe(next)
      expect(texts.length).toBeLessThan(1001)
      next += texts.length
    }
    expect(next).toBe(3121)
  })

  test('a long read lets others have their turn', async () => {
    const log = await opened()
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 3000))
    let isOver = false
    const reading = all(log.read('a', 0)).finally(() => {
      isOver = true
    })
    await turn()
    expect(isOver).toBe(false)
    expect(await reading).toHaveLength(3000)
  })

  test('random batches into several sessions are read back, from anywhere', async () => {
    const log = await opened()
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 12 }), reads, async (batches, places) => {
        runs += 1
        const model = new Map<string, StampedEvent[]>()
        const ids = ['x', 'y', 'z'].map((name) => `${name}${runs}`)
        await Promise.all(ids.map((id) => log.sessions.create(session(id))))
        const storing = batches.map(({ to, texts, off }) => {
          const id = ids[to] ?? ''
          const known = model.get(id) ?? []
          const from = known.length + 1 + off
          const added = texts.map((text, index) => said(id, from + index, text))
          const isWrong = off !== 0 && added.length > 0
          if (!isWrong) model.set(id, [...known, ...added])
          const done = log.append(id, added).then(() => 'stored')
          return expect(done.catch(() => 'refused')).resolves.toBe(isWrong ? 'refused' : 'stored')
        })
        await Promise.all(storing)
        for (const id of ids) {
          const whole = model.get(id) ?? []
          expect(await log.head(id)).toBe(whole.length)
          for (const { after, limit } of places)
            expect(await all(log.read(id, after, limit))).toEqual(
              whole.slice(after, limit === undefined ? undefined : after + limit),
            )
        }
      }),
      { numRuns: 60 },
    )
  })
}

const big = 'x'.repeat(200_000)

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('\ud83d', '\ude42 tail', '\u0000', '\u2028', big),
)
const batch = fc.record({
  to: fc.nat({ max: 2 }),
  texts: fc.array(text, { maxLength: 20 }),
  off: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1, 5)),
})
const reads = fc.array(
  fc.record({
    after: fc.nat({ max: 60 }),
    limit: fc.option(fc.nat({ max: 60 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 5 },
)
