import { expect, test } from 'vitest'
import { badAgents } from './bad-agents.ts'
import { tryFault } from './fault.ts'

test('agents that do everything wrong disturb nobody, and leave nothing behind', async () => {
  const { counts } = await tryFault(badAgents, { seed: 1, goesOn: (tried) => tried < 1 })
  expect(counts.get('bad agents')).toBeGreaterThan(25)
  expect(counts.get('events')).toBeGreaterThan(50)
})
