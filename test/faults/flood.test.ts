import { expect, test } from 'vitest'
import { tryFault } from './fault.ts'
import { createFlood } from './flood.ts'

test('an agent that prints faster than the disk writes loses nothing', async () => {
  const flood = createFlood({ lines: 60_000, agents: 1, flushMs: 200, mostBytes: 1.5e9 })
  const { counts } = await tryFault(flood, { seed: 1, goesOn: (tried) => tried < 1 })
  expect(counts.get('lines')).toBe(60_000)
  expect(counts.get('events')).toBeGreaterThan(50_000)
})
