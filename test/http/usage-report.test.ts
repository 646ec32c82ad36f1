import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent, Totals } from '../../src/events/types.ts'
import { emptyTotals } from '../../src/events/usage-sums.ts'
import { usageReportOf } from '../../src/http/usage-report.ts'
import type { Log } from '../../src/log/log.ts'

const logOf = (events: readonly AgentEvent[]): Log => {
  const read = async function* () {
    for (const [index, event] of events.entries())
      yield { ...event, sessionId: 's', seq: index + 1, timestamp: index } as StampedEvent
  }
  return { read, ledger: { list: async () => [] } } as unknown as Log
}

const run = (totals: Partial<Totals>): AgentEvent[] => [
  { type: 'agent_start' },
  { type: 'usage_update', totals: { ...emptyTotals(), ...totals }, byModel: {}, context: null },
  { type: 'agent_end', stopReason: 'stop' },
]

test('the cost of a run is unknown if the agent reported none for its calls', async () => {
  const reported = { tokens: 'reported', cost: 'reported' } as const
  const estimated = { tokens: 'estimated', cost: 'estimated' } as const
  const { turns } = await usageReportOf(
    logOf([
      ...run({ input: 5, costUsd: 0.5, provenance: reported }),
      ...run({ input: 8, costUsd: 0.5, provenance: estimated }), // its call was cut
      ...run({ input: 8, costUsd: 0.5, provenance: estimated }), // no call
      ...run({ input: 9, costUsd: 0.75, provenance: estimated }),
    ]),
    's',
  )
  expect(turns.map(({ totals }) => totals.costUsd)).toEqual([0.5, null, 0, 0.25])
  expect(turns[1]?.totals.provenance.cost).toBeNull()
})
