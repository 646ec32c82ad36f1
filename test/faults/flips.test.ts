import { expect, test } from 'vitest'
import { tryFault } from './fault.ts'
import { flips } from './flips.ts'

test('flipped bits affect only their sessions', async () => {
  const { counts } = await tryFault(flips, { seed: 1, goesOn: (tried) => tried < 3 })
  expect(counts.get('flipped bits')).toBe(9)
  expect(counts.get('events')).toBeGreaterThan(50)
})
