import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exceededLimit, mayExceed } from '../../src/shared/json-shape.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

/** How many objects, arrays and commas a value has as JSON, and one. */
const valuesOf = (value: unknown): number => 1 + structureOf(value)

const structureOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  return inner.reduce((sum, each) => sum + structureOf(each), 1 + Math.max(0, inner.length - 1))
}

test('counts values and levels, whatever strings contain', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '{[,', '\\\\"]', 'ä"'))
  const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })
  fc.assert(
    fc.property(value, text, fc.boolean(), (inner, string, isIndented) => {
      const whole = { inner, [string]: string, last: `${string}\\` }
      const json = JSON.stringify(whole, null, isIndented ? 2 : 0)
      const exact = { values: valuesOf(whole), depth: depthOf(whole) }
      const fewer = { ...exact, values: exact.values - 1 }
      const flatter = { ...exact, depth: exact.depth - 1 }
      expect(exceededLimit(json, exact)).toBeUndefined()
      expect(exceededLimit(json, fewer)).toBe('values')
      expect(exceededLimit(json, flatter)).toBe('depth')
      // The quick test never misses a text that exceeds a limit.
      expect([mayExceed(json, fewer), mayExceed(json, flatter)]).toEqual([true, true])
    }),
  )
})

test('the limit itself is allowed', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const limits = { values: 1_000_000, depth: 1000 }
  expect(exceededLimit(nested(1000), limits)).toBeUndefined()
  expect(exceededLimit(nested(1001), limits)).toBe('depth')
  expect(exceededLimit(nested(200_000), limits)).toBe('depth')
  expect(mayExceed(nested(1000), limits)).toBe(false)
})

test('many brackets side by side are not deep, and commas in strings are no values', () => {
  const wide = `[${'[],'.repeat(5000)}[]]`
  expect(mayExceed(wide, { values: 20_000, depth: 1000 })).toBe(true)
  expect(exceededLimit(wide, { values: 20_000, depth: 1000 })).toBeUndefined()
  const table = JSON.stringify({ csv: '1,2,3\n'.repeat(5000) })
  expect(mayExceed(table, { values: 1000, depth: 1000 })).toBe(true)
  expect(exceededLimit(table, { values: 1000, depth: 1000 })).toBeUndefined()
})

test('a string without an end, or with nothing but escapes, ends with the text', () => {
  for (const text of ['"', '"\\', '"\\"', '"[[[[[', `"${'\\"'.repeat(1000)}`])
    expect(exceededLimit(text, { values: 1, depth: 0 })).toBeUndefined()
})
