import { expect, test } from 'vitest'
import { cuts } from './cuts.ts'
import { tryFault } from './fault.ts'

test('readers that are cut 300 times miss nothing and see nothing twice', async () => {
  const { counts } = await tryFault(cuts, { seed: 1, goesOn: (tried) => tried < 300 })
  expect(counts.get('cuts')).toBeGreaterThanOrEqual(300)
  expect(counts.get('events')).toBeGreaterThan(500)
  expect(counts.get('snapshots')).toBeGreaterThan(3)
})
