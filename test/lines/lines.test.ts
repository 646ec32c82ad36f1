import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createLineReader,
  type LineOptions,
  portableTextReader,
  type Segment,
} from '../../src/lines/index.ts'
import { nodeTextReader } from '../../src/process/node-text-reader.ts'
import { cutAt } from '../support/recordings.ts'

const read = (chunks: Iterable<Uint8Array>, options: LineOptions<string> = {}) => {
  const calls: string[] = []
  const reader = createLineReader<string>(
    {
      line: (text) => calls.push(`line ${text}`),
      value: (value) => calls.push(`value ${value}`),
      oversize: (size) => calls.push(`oversize ${size}`),
      malformed: (size) => calls.push(`malformed ${size}`),
      torn: (size, text) => calls.push(`torn ${size} ${text ?? '–'}`),
    },
    options,
  )
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { calls, counts: reader.counts() }
}

const bytesOf = (text: string) => Buffer.from(text)

describe('lines', () => {
  test('splits only at LF: U+2028, U+2029, U+0085 and a lone CR are text', () => {
    const { calls } = read([bytesOf('a\u2028b\u2029c\u0085d\re\nnext\n')])
    expect(calls).toEqual(['line a\u2028b\u2029c\u0085d\re', 'line next'])
  })

  test('drops a CR before LF, and skips and counts blank lines', () => {
    const { calls, counts } = read([bytesOf('a\r\n\r\n\n  \nb\n')])
    expect(calls).toEqual(['line a', 'line b'])
    expect(counts).toEqual({ lines: 2, empty: 3 })
  })

  test.each([
    ['portable', portableTextReader],
    ['node', nodeTextReader],
  ])('reads ASCII lines between others, and bytes that are not UTF-8 (%s reader)', (_, reader) => {
    const lines = ['a', '€', 'b', '–c', 'd é', '', 'ä', 'e', '\ud83d\ude00', 'f']
    const expected = lines.filter((line) => line !== '').map((line) => `line ${line}`)
    expect(read([bytesOf(`${lines.join('\n')}\n`)], { reader }).calls).toEqual(expected)
    const broken = Buffer.from([97, 10, 98, 0xe2, 0x82, 10, 99, 10, 0x80, 10])
    const calls = ['line a', 'line b\ufffd', 'line c', 'line \ufffd']
    expect(read([broken], { reader }).calls).toEqual(calls)
  })

  test('decodes ranges of a segment in any order', () => {
    const { calls } = read([bytesOf('{a é b}\n{c d é}\n')], {
      reader: nodeTextReader,
      shortcut: {
        read: ({ text }, start, end) =>
          [text(end - 2, end), text(start, start + 3), text(start, end)].join('|'),
      },
    })
    expect(calls).toEqual(['value b}|{a |{a é b}', 'value \ufffd}|{c |{c d é}'])
  })

  test('reports a last line without LF as torn', () => {
    expect(read([bytesOf('a\nb')]).calls).toEqual(['line a', 'torn 1 b'])
  })

  test('reports a line over the limit and continues with the next line', () => {
    const long = 'x'.repeat(50)
    const text = bytesOf(`a\n${long}\nb\n`)
    for (const size of [1, 7, 64, 1000]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.subarray(index * size, (index + 1) * size),
      )
      expect(read(chunks, { limit: 20 }).calls).toEqual(['line a', 'oversize 50', 'line b'])
    }
  })

  test('buffers no more than the limit of an endless line', () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const before = process.memoryUsage().arrayBuffers
    const endless = function* () {
      for (let count = 0; count < 200; count += 1) yield chunk
    }
    expect(read(endless(), { limit: 4 * 1024 * 1024 }).calls).toEqual([
      `oversize ${200 * 1024 * 1024}`,
    ])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })

  test('does not depend on how the bytes are split, even inside characters', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .map((text) => text.replaceAll('\n', ''))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(2000)), (lines, cuts) => {
        const text = bytesOf(lines.join('\n'))
        expect(read(cutAt(text, cuts)).calls).toEqual(read([text]).calls)
      }),
    )
  })
})

describe('shortcuts', () => {
  // Reads `{"k":"VALUE"` from the beginning of a line.
  const shortcut = {
    read: ({ latin1 }: Segment, start: number, end: number) =>
      /^\{"k":"(\w*)"/.exec(latin1.slice(start, end))?.[1],
  }

  test('returns the value of a line that ends with a brace, however it is split', () => {
    const text = bytesOf(`{"k":"one","tail":"${'x'.repeat(100)}"}\n{"other":1}\n`)
    for (let at = 0; at <= text.length; at += 1)
      expect(read([text.subarray(0, at), text.subarray(at)], { shortcut }).calls).toEqual([
        'value one',
        'line {"other":1}',
      ])
  })

  test('does not use the shortcut for a line without a brace at its end', () => {
    expect(read([bytesOf('{"k":"one","tail"\n')], { shortcut }).calls).toEqual([
      'line {"k":"one","tail"',
    ])
    const cut = read([bytesOf('{"k":"one","ta'), bytesOf('il"\nnext\n')], { shortcut })
    expect(cut.calls).toEqual(['malformed 17', 'line next'])
  })

  test('reports a stream that ends after the shortcut as torn', () => {
    expect(read([bytesOf('{"k":"one","tail":{}')], { shortcut }).calls).toEqual(['torn 20 –'])
  })
})
