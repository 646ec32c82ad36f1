import { expect, test } from 'vitest'
import type { SettingRecord } from '../../../src/log/types.ts'
import { openWorkedTime } from '../../../src/session/budgets/worked-time.ts'

test('time that could not be stored is stored the next time', async () => {
  const stored: SettingRecord[] = []
  let isFull = true
  const settings = {
    list: async () => stored,
    async put(record: SettingRecord) {
      if (isFull) throw new Error('disk full')
      stored.push(record)
    },
  }
  const worked = await openWorkedTime(settings, () => 0)
  worked.add('p', 500)
  await expect(worked.save()).rejects.toThrow('disk full')
  isFull = false
  await worked.save()
  expect((await openWorkedTime(settings, () => 0)).total('p')).toBe(500)
})
