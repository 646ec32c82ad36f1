import { expect, test } from 'vitest'
import { openMemoryLog } from '../../../src/log/index.ts'
import { openWorkedTime } from '../../../src/session/budgets/worked-time.ts'

test('time that could not be stored is stored the next time', async () => {
  const { settings } = await openMemoryLog()
  let isFull = true
  const full: typeof settings = {
    ...settings,
    async change(id, change) {
      if (isFull) throw new Error('disk full')
      return settings.change(id, change)
    },
  }
  const worked = await openWorkedTime(full, () => 0)
  worked.add('p', 500)
  await expect(worked.save()).rejects.toThrow('disk full')
  expect(worked.total('p')).toBe(500)
  isFull = false
  await worked.save()
  expect(worked.total('p')).toBe(500)
  expect((await openWorkedTime(settings, () => 0)).total('p')).toBe(500)
})

test('two nodes add to the same time, each day for itself', async () => {
  const { settings } = await openMemoryLog()
  let now = new Date(2026, 10, 16, 23, 59).getTime()
  const nodes = [
    await openWorkedTime(settings, () => now),
    await openWorkedTime(settings, () => now),
  ] as const
  for (const [index, node] of nodes.entries()) {
    node.add('p', 1000 * (index + 1))
    await node.save()
  }
  await nodes[0].onSetting('worked/p')
  for (const node of nodes) expect([node.today('p'), node.total('p')]).toEqual([3000, 3000])
  now += 120_000
  nodes[0].add('p', 10)
  await nodes[0].save()
  expect([nodes[0].today(), nodes[0].total('p')]).toEqual([10, 3010])
})
