import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeeperThan } from '../../src/lines/index.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

test('counts levels as they are, whatever stands in strings', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string(), fc.nat(8), (value, text, limit) => {
      const whole = { value, text, brackets: ']]]]}}}}"\\"[[[[{{{{' }
      expect(isDeeperThan(JSON.stringify(whole), limit)).toBe(depthOf(whole) > limit)
    }),
  )
})

test('the limit itself is allowed', () => {
  expect(isDeeperThan(nested(1000), 1000)).toBe(false)
  expect(isDeeperThan(nested(1001), 1000)).toBe(true)
})

test('many brackets side by side are not deep', () => {
  expect(isDeeperThan(`[${'[],'.repeat(5000)}[]]`, 1000)).toBe(false)
})
