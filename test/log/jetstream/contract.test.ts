import { afterAll, beforeAll, describe } from 'vitest'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { logContract } from '../contract.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the log in JetStream: ${missing}`)

describe.skipIf(missing !== undefined)('one server', () => {
  let nats: NatsCluster
  let count = 0
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  logContract('jetstream', (directory) => {
    count += 1
    return openJetStreamLog(directory, { servers: nats.urls, tenant: `t${count}` })
  })
})
