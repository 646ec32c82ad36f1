import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSegment, portableTextReader, readStringLiteral } from '../../src/lines/index.ts'

const literalIn = (source: string) => {
  const bytes = Buffer.from(source)
  return readStringLiteral(
    createSegment(portableTextReader, bytes, 0, bytes.length),
    1,
    bytes.length,
  )
}

test('reads every string as JSON.parse does, including lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const source = `${JSON.stringify(text)},"more"`
      expect(literalIn(source)).toEqual({
        text,
        close: Buffer.byteLength(JSON.stringify(text)) - 1,
      })
    }),
  )
})

test('returns undefined for invalid and incomplete strings', () => {
  expect(literalIn('"a\tb"')).toBeUndefined()
  expect(literalIn('"a\\xb"')).toBeUndefined()
  expect(literalIn('"cut')).toBeUndefined()
  expect(literalIn('"cut\\"')).toBeUndefined()
})
