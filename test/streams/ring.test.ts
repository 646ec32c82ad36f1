import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStreamIds, mostSessionsInId } from '../../src/streams/connection/stream-ids.ts'
import { frameOf } from '../../src/streams/fan-out/frame.ts'
import { createLogPages } from '../../src/streams/fan-out/log-pages.ts'
import { createRing } from '../../src/streams/fan-out/ring.ts'

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.nat(3000).map((length) => '界'.repeat(length)),
    fc.nat(200_000).map((length) => 'x'.repeat(length)),
  ),
  { minLength: 1, maxLength: 40 },
)
const json = (text: string) => JSON.stringify({ text })

test('a ring returns all frames after a cursor, or undefined if it has dropped them', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 500 }), fc.nat(45), (all, first, offset) => {
      const ring = createRing(128 * 1024)
      const frames = all.map((text, at) => frameOf(first + at, json(text)))
      frames.forEach((frame, at) => void ring.add(first + at, frame))
      const last = first + frames.length - 1
      expect(ring.bytesAdded()).toBe(Buffer.byteLength(frames.join('')))
      expect(ring.after(last)).toBeUndefined()
      expect(ring.after(last + offset)).toBeUndefined()
      // From any cursor on, the ring has everything after it, or nothing because it is too old.
      let cursor = Math.min(last - 1, first - 1 + offset)
      const start = cursor
      let bytes = ''
      for (let chunk = ring.after(cursor); chunk; chunk = ring.after(cursor)) {
        expect(chunk.first).toBe(cursor + 1)
        bytes += chunk.bytes.toString()
        cursor = chunk.last
      }
      const expected = frames.slice(start + 1 - first).join('')
      // At least a quarter is always there: pages begin small, and the last may be nearly empty.
      if (cursor !== start) expect(bytes).toBe(expected)
      else expect(Buffer.byteLength(expected)).toBeGreaterThan(32 * 1024)
    }),
  )
})

test('a ring stays within its limit and always has the last frame', () => {
  const ring = createRing(64 * 1024)
  for (let seq = 1; seq <= 10_000; seq += 1) {
    ring.add(seq, frameOf(seq, json(`${seq}`)))
    expect(ring.after(seq - 1)?.last).toBe(seq)
  }
  expect(ring.after(0)).toBeUndefined()
  const oldest = Array.from({ length: 10_000 }, (_, cursor) => cursor).find((cursor) =>
    ring.after(cursor),
  )
  expect((10_000 - (oldest ?? 0)) * 20).toBeLessThan(64 * 1024 + 20)
})

test('a ring starts over after a gap', () => {
  const ring = createRing(64 * 1024)
  ring.add(1, frameOf(1, '1'))
  ring.add(5, frameOf(5, '5'))
  expect(ring.after(0)).toBeUndefined()
  expect(ring.after(3)).toBeUndefined()
  expect(ring.after(4)?.bytes.toString()).toBe(frameOf(5, '5'))
})

test('readers with the same cursor share a chunk', () => {
  const ring = createRing(64 * 1024)
  for (let seq = 1; seq <= 3; seq += 1) ring.add(seq, frameOf(seq, 'x'))
  expect(ring.after(1)).toBe(ring.after(1))
  const before = ring.after(1)
  ring.add(4, frameOf(4, 'x'))
  expect(ring.after(1)).not.toBe(before)
})

test('pages of the log have the same bytes as the ring, with ids and without', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(39), async (all, from) => {
      const cursor = Math.min(from, all.length - 1)
      const pages = createLogPages(
        {
          async *readText(_, after, limit = 1000) {
            const some = all.slice(after, after + Math.min(limit, 10)).map(json)
            if (some.length > 0) yield { first: after + 1, texts: some }
          },
        },
        's',
      )
      let at = cursor
      let [bytes, plain, named, many] = ['', '', '', '']
      const long = createStreamIds(Array.from({ length: mostSessionsInId + 1 }, (_, n) => `${n}`))
      const one = createStreamIds(['s'])
      const several = createStreamIds(['ä', 's', 'z', 'later'])
      several.move('ä', '1')
      several.move('z', '2-0000000a')
      while (at < all.length) {
        const chunk = await pages.after(at)
        if (!chunk) throw new Error(`no frames after ${at}`)
        bytes += chunk.bytes.toString()
        plain += long.framesOf('s', chunk).toString()
        named += one.framesOf('s', chunk).toString()
        many += several.framesOf('s', chunk).toString()
        at = chunk.last
      }
      const rest = all.slice(cursor)
      expect(bytes).toBe(
        rest.map((text, index) => frameOf(cursor + 1 + index, json(text))).join(''),
      )
      expect(plain).toBe(rest.map((text) => `data: ${json(text)}\n\n`).join(''))
      expect(named).toBe(bytes.replaceAll(/^id: /gm, 'id: s:'))
      expect(many).toBe(bytes.replaceAll(/^id: (.*)$/gm, 'id: ä:1,s:$1,z:2-0000000a'))
      expect(long.current()).toMatch(new RegExp(`^s:${all.length}-[0-9a-f]{8}$`))
      expect(await pages.after(all.length)).toBeUndefined()
    }),
  )
})
