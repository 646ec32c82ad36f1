import { describe, expect, test } from 'vitest'
import { largeCases } from '../../bench/cluster-sim/cases.ts'
import { appendCost, leaderShare, measured } from '../../bench/cluster-sim/costs.ts'
import { keepsUp, scarceCases } from '../../bench/cluster-sim.ts'

const eventsOfAgent = 15
const { deliveryUs, decodeEventUs, followMessageUs, followEventUs } = measured
const { serversUs, nodeUs } = appendCost(measured, 1)
/** What an event costs the part that is scarce, in µs of its one core. */
const costs = [
  followMessageUs + followEventUs + 10 * deliveryUs,
  nodeUs + decodeEventUs,
  serversUs * leaderShare,
]

describe('a part of a cluster keeps up with as many agents as it has time for', () => {
  const [first] = largeCases
  if (!first) throw new Error('There is no case.')
  test.each(scarceCases(first.scenario).map((each, at) => [...each, costs[at] ?? 0] as const))(
    '%s',
    (_, scenario, us) => {
      const most = 1_000_000 / us / eventsOfAgent
      expect(keepsUp({ ...scenario, agents: Math.floor(0.95 * most) })).toBe(true)
      expect(keepsUp({ ...scenario, agents: Math.ceil(1.05 * most) })).toBe(false)
    },
  )
})
