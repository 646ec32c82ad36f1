import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan, mayBeDeeperThan } from '../../src/shared/depth.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

test('counts levels correctly, whatever strings contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string(), fc.nat(8), (value, text, limit) => {
      const whole = { value, text, brackets: ']]]]}}}}"\\"[[[[{{{{' }
      const isDeeper = depthOf(whole) > limit
      expect(isDeeperThan(whole, limit)).toBe(isDeeper)
      // The test of the text never misses a value that is too deep.
      if (isDeeper) expect(mayBeDeeperThan(JSON.stringify(whole), limit)).toBe(true)
    }),
  )
})

test('the limit itself is allowed', () => {
  expect(isDeeperThan(JSON.parse(nested(1000)), 1000)).toBe(false)
  expect(isDeeperThan(JSON.parse(nested(1001)), 1000)).toBe(true)
  expect(isDeeperThan(JSON.parse(nested(200_000)), 1000)).toBe(true)
})

test('many brackets side by side are not deep', () => {
  const text = `[${'[],'.repeat(5000)}[]]`
  expect(mayBeDeeperThan(text, 1000)).toBe(true)
  expect(isDeeperThan(JSON.parse(text), 1000)).toBe(false)
})
