import { expect, test } from 'vitest'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import type { SessionRecord } from '../../src/log/types.ts'
import { overviewTotalsOf } from '../../src/streams/overview/totals.ts'

test('the totals of the overview leave out what imported sessions used', () => {
  const record: SessionRecord = {
    ...{ id: 'a', agent: 'pi', cwd: '/tmp', state: 'idle', createdAt: 1, updatedAt: 1 },
  }
  const live = { usage: { ...emptyTotals(), input: 5 } }
  const sessions = [
    { record, live },
    { record: { ...record, id: 'b', imported: { at: 1 } }, live },
  ]
  expect(overviewTotalsOf(sessions, 0)).toMatchObject({ sessions: 2, usage: { input: 5 } })
})
