import { afterAll, beforeAll, describe } from 'vitest'
import { openNatsBus } from '../../../src/bus/nats/nats-bus.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { busContract } from '../contract.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the bus over NATS: ${missing}`)

describe.skipIf(missing !== undefined)('one server', () => {
  let nats: NatsCluster
  let count = 0
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  busContract('nats', ({ onError }) => {
    count += 1
    return openNatsBus({ servers: nats.urls, tenant: `t${count}`, onError })
  })
})
