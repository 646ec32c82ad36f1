import { expect, test } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import { emptyTotals, tokenKinds } from '../../src/events/usage-sums.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { fixedPrices } from '../../src/ledger/prices.ts'
import { insertUsageUpdates } from '../../src/ledger/usage-update.ts'
import { openMemoryLog, spendingStepMs } from '../../src/log/index.ts'
import { session } from '../log/samples.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

/** So that costs are also computed, and then replaced by what the agent reports. */
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const prices = fixedPrices({ 'claude-opus-5-5': price, 'claude-haiku-5': price }, 'test')

test.each([true, false])(
  'the sums of all recordings are what their sessions have used, with prices: %s',
  async (withPrices) => {
    const log = await openMemoryLog()
    let withCost = 0
    for (const { name, agent, bytes } of recordings) {
      const ledger = createLedger(withPrices ? { prices } : {})
      // A minute between two events, so that the usage is spread over steps.
      let time = 100 * spendingStepMs
      const stamp = createStamp(name, () => (time += 60_000))
      const events = insertUsageUpdates(ledger, decodeChunks(agent, [bytes()]))
      await log.sessions.create(session(name, { agent }))
      await log.append(name, events.map(stamp))

      const last = events.findLast((event) => event.type === 'usage_update')
      const totals = last?.type === 'usage_update' ? last.totals : emptyTotals()
      const sums = await log.spending.total({ sessionId: name })
      for (const kind of tokenKinds) expect(sums[kind], `${name} ${kind}`).toBe(totals[kind] ?? 0)
      if (totals.costUsd === null) expect(sums.costUsd ?? 0, name).toBe(0)
      else expect(sums.costUsd, name).toBeCloseTo(totals.costUsd, 9)
      const { reported, computed, estimated } = sums.costBy
      expect(reported + computed + estimated, name).toBeCloseTo(sums.costUsd ?? 0, 9)
      if (totals.provenance.cost === 'reported')
        expect(computed + estimated, name).toBeCloseTo(0, 9)
      if (totals.costUsd !== null && totals.costUsd > 0) withCost += 1
    }
    expect(withCost).toBeGreaterThan(50)
    const byModel = await log.spending.list({ by: ['model'] })
    const all = byModel.reduce((sum, { sums }) => sum + (sums.costUsd ?? 0), 0)
    expect((await log.spending.total()).costUsd).toBeCloseTo(all, 9)
  },
)
