import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { checksumOf } from '../../src/log/checksum.ts'
import type { Log } from '../../src/log/index.ts'
import { all, events, seqs, session, textEvent } from './samples.ts'

/** What every log promises about events. */
export const eventsContract = (openLog: () => Promise<Log>): void => {
  test('appended events are read after any seq, up to any limit', async () => {
    const log = await openLog()
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

  test('a batch with a gap, a repeat or a foreign event is rejected as a whole', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    await log.append('a', events('a', 1, 2))
    const rejected: [string, readonly StampedEvent[]][] = [
      ['gap', events('a', 4, 1)],
      ['gap', [...events('a', 3, 1), ...events('a', 5, 1)]],
      ['repeat', events('a', 2, 1)],
      ['repeat', events('a', 1, 3)],
      ['repeat', [...events('a', 3, 2), ...events('a', 4, 1)]],
      ['foreign_event', [...events('a', 3, 1), ...events('b', 4, 1)]],
    ]
    for (const [code, batch] of rejected)
      await expect(log.append('a', batch)).rejects.toMatchObject({ name: 'LogFault', code })
    const unknown = log.append('nobody', events('nobody', 1, 1))
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_session' })
    await log.append('a', events('a', 3, 1))
    expect(await seqs(log, 'a')).toEqual([1, 2, 3])
    expect(await seqs(log, 'b')).toEqual([])
  })

  test('appends of one turn keep their order, and a rejected one does not affect the others', async () => {
    const log = await openLog()
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

  test('head matches what a reader finds, before and after an append is done', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const appending = log.append('a', events('a', 1, 2))
    const before = await log.head('a')
    expect(await all(log.read('a', 0, before))).toHaveLength(before)
    await appending
    expect(await log.head('a')).toBe(2)
    expect(await seqs(log, 'a')).toEqual([1, 2])
  })

  test('an event is stored as it was at the time of the call', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const mutable = textEvent('a', 1, 'before')
    const appending = log.append('a', [mutable])
    mutable.timestamp = 0
    await appending
    expect(await all(log.read('a', 0))).toEqual([textEvent('a', 1, 'before')])
  })

  test('the stored text is the JSON of the event, halves of surrogate pairs included', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const odd = ['\ud83d', '\ude42', '\u0000', '\u2028"\\', 'ü🙂', ''].map((text, index) =>
      textEvent('a', index + 1, text),
    )
    await log.append('a', odd)
    const pages = await all(log.readText('a', 2))
    expect(pages.flatMap(({ texts }) => texts)).toEqual(
      odd.slice(2).map((each) => JSON.stringify(each)),
    )
    expect(pages[0]?.first).toBe(3)
    expect(await all(log.read('a', 0))).toEqual(odd)
  })

  test('the checksum of an event is that of its stored text', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const stored = ['x', 'ü🙂', '\ud83d', big].map((text, index) => textEvent('a', index + 1, text))
    await log.append('a', stored)
    const checksums = await Promise.all(stored.map(({ seq }) => log.checksumAt('a', seq)))
    expect(checksums).toEqual(stored.map((event) => checksumOf(JSON.stringify(event))))
    for (const seq of [0, -1, 1.5, 5, 999_999_999_999_999])
      expect(await log.checksumAt('a', seq)).toBeUndefined()
    expect(await log.checksumAt('nobody', 1)).toBeUndefined()
  })

  test('a long session is read in pages', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 3000))
    const large = Array.from({ length: 20 }, (_, index) => textEvent('a', 3001 + index, big))
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

  test('a long read does not block the event loop', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 3000))
    let isDone = false
    const reading = all(log.read('a', 0)).finally(() => {
      isDone = true
    })
    await nextTurn()
    expect(isDone).toBe(false)
    expect(await reading).toHaveLength(3000)
  })

  test('random batches in several sessions are read back, after any seq', async () => {
    const log = await openLog()
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 12 }), reads, async (batches, positions) => {
        runs += 1
        const model = new Map<string, StampedEvent[]>()
        const ids = ['x', 'y', 'z'].map((name) => `${name}${runs}`)
        await Promise.all(ids.map((id) => log.sessions.create(session(id))))
        const appending = batches.map(({ to, texts, off }) => {
          const id = ids[to] ?? ''
          const stored = model.get(id) ?? []
          const from = stored.length + 1 + off
          const added = texts.map((text, index) => textEvent(id, from + index, text))
          const isWrong = off !== 0 && added.length > 0
          if (!isWrong) model.set(id, [...stored, ...added])
          const done = log.append(id, added).then(() => 'stored')
          return expect(done.catch(() => 'rejected')).resolves.toBe(isWrong ? 'rejected' : 'stored')
        })
        await Promise.all(appending)
        for (const id of ids) {
          const whole = model.get(id) ?? []
          expect(await log.head(id)).toBe(whole.length)
          for (const { after, limit } of positions)
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
