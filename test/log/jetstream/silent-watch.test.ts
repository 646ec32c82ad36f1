import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { natsMissing, startNats } from '../../support/nats-server.ts'
import { key } from '../samples.ts'
import { openNodeLog } from './open-node-log.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: a watch that falls silent: ${missing}`)

describe.skipIf(missing !== undefined)('a watch that falls silent', () => {
  test('is opened again, and a revocation arrives within a second', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const [one, two] = [await openNodeLog(nats, 'one'), await openNodeLog(nats, 'two')]
    await one.keys.create(key('k'))
    await expect.poll(() => two.keys.get('k')).toBeDefined()
    // As when its server dies: the consumer of the watch is gone, and nothing says so.
    const client = await connect({ servers: [...nats.urls] })
    onTestFinished(() => client.close())
    const list = await client.request('$JS.API.CONSUMER.NAMES.KV_sluice_t')
    const { consumers }: { consumers: string[] } = list.json()
    expect(consumers.length).toBeGreaterThanOrEqual(2)
    for (const name of consumers)
      await client.request(`$JS.API.CONSUMER.DELETE.KV_sluice_t.${name}`)
    const heard = Promise.withResolvers<number>()
    two.shared.onRecord(({ kind }) => {
      if (kind === 'key') heard.resolve(performance.now())
    })
    const start = performance.now()
    await one.keys.revoke('k', 2000)
    expect((await heard.promise) - start).toBeLessThan(1000)
    expect(await two.keys.get('k')).toMatchObject({ revokedAt: 2000 })
  })
})
