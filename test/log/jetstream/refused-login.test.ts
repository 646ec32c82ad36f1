import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openNatsBus } from '../../../src/bus/nats/nats-bus.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'
import { session } from '../samples.ts'
import { openNodeLog } from './open-node-log.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: a login that is taken away: ${missing}`)

describe.skipIf(missing !== undefined)('a login that is taken away', () => {
  test('is said, and works again when it is given back', async () => {
    const nats = await startNats(1, {
      config: 'authorization { users: [ { user: node, password: secret } ] }',
    })
    onTestFinished(() => nats.stop())
    const urls = nats.urls.map((url) => url.replace('nats://', 'nats://node:secret@'))
    const log = await openNodeLog({ urls }, 'one')
    const reports: string[] = []
    const bus = await openNatsBus({ servers: urls, onError: ({ code }) => void reports.push(code) })
    onTestFinished(() => bus.close())
    const [server] = nats.servers
    if (!server) throw new Error('There is no server.')
    const config = readFileSync(server.config, 'utf8')
    const reload = async (text: string): Promise<void> => {
      writeFileSync(server.config, text)
      await server.signal('SIGHUP')
    }
    await reload(config.replace('user: node', 'user: other'))
    await expect.poll(() => log.status().reason, { timeout: 5000 }).toContain('refuse the login')
    // The client library would close the connection after the second refusal.
    let refusals = 0
    for await (const { type } of log.link.connection.status()) {
      if (type === 'error') refusals += 1
      if (type === 'close' || refusals === 3) break
    }
    expect(log.link.connection.isClosed()).toBe(false)
    await reload(config)
    await expect.poll(() => log.status().state, { timeout: 10_000 }).toBe('ok')
    await log.sessions.create(session('s'))
    expect(reports.filter((code) => code === 'refused')).toHaveLength(1)
  })
})
