import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openNatsBus } from '../../../src/bus/nats/nats-bus.ts'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { eventually } from '../../support/eventually.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'
import { temporaryDirectory } from '../samples.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: a login that is refused for a while: ${missing}`)

test.skipIf(missing !== undefined)('a login that is refused for a while works again', async () => {
  const users = join(temporaryDirectory('users'), 'users.conf')
  const allow = (password: string): void =>
    writeFileSync(users, `authorization { user: node, password: "${password}" }\n`)
  allow('right')
  // nats-server looks for the file from the directory of its configuration, two below the temporary one.
  const path = join('../..', relative(tmpdir(), users))
  const nats = await startNats(1, { config: `include "${path}"` })
  onTestFinished(() => nats.stop())
  const [server] = nats.servers
  const connection = { user: 'node', pass: 'right' }
  const link = await openLink({ servers: nats.urls, connection })
  onTestFinished(() => link.close())
  const reports: string[] = []
  const login = new URL(server?.url ?? '')
  const bus = await openNatsBus({
    servers: [`nats://node:right@${login.host}`],
    onError: ({ code }) => void reports.push(code),
  })
  onTestFinished(() => bus.close())
  let refused = 0
  const count = async (): Promise<void> => {
    for await (const { type } of link.connection.status()) if (type === 'error') refused += 1
  }
  void count()

  allow('another')
  await server?.signal('SIGHUP')
  await eventually(() => expect(refused).toBeGreaterThan(5))
  expect(link.isConnected()).toBe(false)
  // The bus tries as often, and reports it once.
  expect(reports).toEqual(['refused'])

  allow('right')
  await server?.signal('SIGHUP')
  await eventually(() => expect(link.isConnected()).toBe(true))
  await link.connection.flush()
})
