import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLineReader, type LineOptions, type Segment } from '../../src/lines/index.ts'
import { cutAt } from '../support/recordings.ts'

const read = (chunks: Iterable<Uint8Array>, options: LineOptions<string> = {}) => {
  const told: string[] = []
  const reader = createLineReader<string>(
    {
      line: (text) => told.push(`line ${text}`),
      value: (value) => told.push(`value ${value}`),
      oversize: (size) => told.push(`oversize ${size}`),
      malformed: (size) => told.push(`malformed ${size}`),
      torn: (size, text) => told.push(`torn ${size} ${text ?? '–'}`),
    },
    options,
  )
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { told, counts: reader.counts() }
}

const bytesOf = (text: string) => Buffer.from(text)

describe('lines', () => {
  test('splits on LF only: U+2028, U+2029, U+0085 and a lone CR are text', () => {
    const { told } = read([bytesOf('a\u2028b\u2029c\u0085d\re\nnext\n')])
    expect(told).toEqual(['line a\u2028b\u2029c\u0085d\re', 'line next'])
  })

  test('drops a CR before LF and skips blank lines, which it counts', () => {
    const { told, counts } = read([bytesOf('a\r\n\r\n\n  \nb\n')])
    expect(told).toEqual(['line a', 'line b'])
    expect(counts).toEqual({ lines: 2, empty: 3 })
  })

  test('hands a last line without LF over apart', () => {
    expect(read([bytesOf('a\nb')]).told).toEqual(['line a', 'torn 1 b'])
  })

  test('reports a line over the limit with its size and goes on behind it', () => {
    const long = 'x'.repeat(50)
    const text = bytesOf(`a\n${long}\nb\n`)
    for (const size of [1, 7, 64, 1000]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.subarray(index * size, (index + 1) * size),
      )
      expect(read(chunks, { limit: 20 }).told).toEqual(['line a', 'oversize 50', 'line b'])
    }
  })

  test('keeps no more than the limit of an endless line', () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const before = process.memoryUsage().arrayBuffers
    const endless = function* () {
      for (let count = 0; count < 200; count += 1) yield chunk
    }
    expect(read(endless(), { limit: 4 * 1024 * 1024 }).told).toEqual([
      `oversize ${200 * 1024 * 1024}`,
    ])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })

  test('is the same however the bytes are cut, inside characters too', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .map((text) => text.replaceAll('\n', ''))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(2000)), (lines, cuts) => {
        const text = bytesOf(lines.join('\n'))
        expect(read(cutAt(text, cuts)).told).toEqual(read([text]).told)
      }),
    )
  })
})

describe('shortcuts', () => {
  // Reads `{"k":"VALUE"` from the head of a line.
  const shortcut = {
    read: ({ latin1: plain }: Segment, start: number, end: number) =>
      /^\{"k":"(\w*)"/.exec(plain.slice(start, end))?.[1],
  }

  test('a line is its value once the head is there and a brace ends it', () => {
    const text = bytesOf(`{"k":"one","tail":"${'x'.repeat(100)}"}\n{"other":1}\n`)
    for (let at = 0; at <= text.length; at += 1)
      expect(read([text.subarray(0, at), text.subarray(at)], { shortcut }).told).toEqual([
        'value one',
        'line {"other":1}',
      ])
  })

  test('a line that does not end in a brace is malformed, whole or cut', () => {
    expect(read([bytesOf('{"k":"one","tail"\n')], { shortcut }).told).toEqual([
      'line {"k":"one","tail"',
    ])
    const cut = read([bytesOf('{"k":"one","ta'), bytesOf('il"\nnext\n')], { shortcut })
    expect(cut.told).toEqual(['malformed 17', 'line next'])
  })

  test('a stream that ends behind the head is torn, not a value', () => {
    expect(read([bytesOf('{"k":"one","tail":{}')], { shortcut }).told).toEqual(['torn 20 –'])
  })
})
