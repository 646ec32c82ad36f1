import { expect, test } from 'vitest'
import { tryFault } from '../fault.ts'
import { powerCut, unflushedPowerCut } from './power-cut.ts'

test('a power cut at full loses nothing that was confirmed; at normal it leaves a prefix', async () => {
  const { counts } = await tryFault(powerCut, { seed: 1, goesOn: (tried) => tried < 2 })
  expect(counts.get('power cuts at full')).toBe(25)
  expect(counts.get('power cuts at normal')).toBe(25)
  expect(counts.get('events')).toBeGreaterThan(1000)
  expect(counts.get('database flushes')).toBeGreaterThan(2)
})

test('the check finds confirmed events that were never flushed', async () => {
  await expect(tryFault(unflushedPowerCut, { seed: 1, goesOn: () => true })).rejects.toThrow(
    'was confirmed',
  )
})
