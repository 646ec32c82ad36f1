import { expect, test } from 'vitest'
import { rarely } from '../../src/shared/rarely.ts'

test('reports the first value, and the first one after a minute', () => {
  let now = 5
  const reports: number[] = []
  const report = rarely<number>(
    (value) => void reports.push(value),
    () => now,
  )
  report(1)
  report(2)
  now += 60_000
  report(3)
  report(4)
  expect(reports).toEqual([1, 3])
})
