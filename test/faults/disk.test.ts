import { expect, test } from 'vitest'
import { disk } from './disk.ts'
import { tryFault } from './fault.ts'

test('a full disk and a failed flush are reported, and nothing that was seen is lost', async () => {
  const { counts } = await tryFault(disk, { seed: 1, goesOn: (tried) => tried < 1 })
  expect(counts.get('full disks')).toBe(1)
  expect(counts.get('failed flushes')).toBe(1)
  expect(counts.get('events')).toBeGreaterThan(30)
})
