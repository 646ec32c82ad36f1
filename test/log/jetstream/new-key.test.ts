import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApiKeys } from '../../../src/auth/api-keys.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'
import { openNodeLog } from './open-node-log.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: keys that are new: ${missing}`)

describe.skipIf(missing !== undefined)('a key that another node has created just now', () => {
  test('can be revoked, and one that does not exist is unknown', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const open = async (node: string) =>
      createApiKeys((await openNodeLog(nats, node)).keys, () => 1000)
    const [one, two] = [await open('one'), await open('two')]
    // What one creates reaches two later: its watch has lost its consumer.
    const client = await connect({ servers: [...nats.urls] })
    onTestFinished(() => client.close())
    const list = await client.request('$JS.API.CONSUMER.NAMES.KV_sluice_t')
    const { consumers }: { consumers: string[] } = list.json()
    for (const name of consumers)
      await client.request(`$JS.API.CONSUMER.DELETE.KV_sluice_t.${name}`)
    const { id } = await one.create({ name: 'new', scopes: ['read'] })
    expect(await two.revoke(id)).toEqual([id])
    expect((await two.list()).find((key) => key.id === id)).toMatchObject({ revokedAt: 1000 })
    await expect(two.revoke('another')).rejects.toMatchObject({ code: 'unknown_key', status: 404 })
  }, 20_000)
})
