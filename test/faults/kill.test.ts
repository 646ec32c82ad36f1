import { expect, test } from 'vitest'
import { tryFault } from './fault.ts'
import { kill } from './kill.ts'

test('a server that is killed three times loses nothing that a reader saw', async () => {
  const { counts } = await tryFault(kill, { seed: 1, goesOn: (tried) => tried < 3 })
  expect(counts.get('kills')).toBe(3)
  expect(counts.get('events')).toBeGreaterThan(1000)
})
