import { expect, test } from 'vitest'
import { natsMissing } from '../../support/nats-server.ts'
import { tryFault } from '../fault.ts'
import { clusterFault } from './cluster.ts'
import { quickNemeses } from './nemeses.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: faults of a cluster: ${missing}`)

test.skipIf(missing !== undefined)(
  'after kills, stops and cuts, no acknowledged event is lost, doubled or out of order',
  async () => {
    const { counts } = await tryFault(clusterFault(quickNemeses), {
      seed: 1,
      goesOn: (tried) => tried < quickNemeses.length,
    })
    expect(counts.get('events')).toBeGreaterThan(100)
    expect(counts.get('appends: ok')).toBeGreaterThan(50)
  },
  120_000,
)
