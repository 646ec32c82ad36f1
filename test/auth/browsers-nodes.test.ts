import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Auth, createAuth } from '../../src/auth/auth.ts'
import { openJetStreamLog } from '../../src/log/jetstream/jetstream-log.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { createClock, endOf, serverId } from './samples.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: browsers of several nodes: ${missing}`)

const day = 24 * 60 * 60 * 1000
const firefox = { name: 'Firefox on Linux', address: '127.0.0.1', isSecure: false }

describe.skipIf(missing !== undefined)('a browser at two nodes', () => {
  let nats: NatsCluster
  let count = 0
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  const openTwo = async () => {
    const clock = createClock()
    count += 1
    const open = async () => {
      const directory = mkdtempSync(join(tmpdir(), 'sluice-browsers-'))
      const log = await openJetStreamLog(directory, { servers: nats.urls, tenant: `b${count}` })
      const auth = createAuth({ ...log, serverId, now: clock.now })
      onTestFinished(async () => {
        auth.close()
        await log.close()
        rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
      })
      return { auth, log }
    }
    const [{ auth: one }, { auth: two, log }] = [await open(), await open()]
    const { setCookie, pageKey } = await one.signIn.pair(one.signIn.createCode().code, firefox)
    const cookieIn = (header: string) => header.split(';', 1).join('')
    const send = (auth: Auth, cookie: string) =>
      auth.authenticate(undefined, {
        ...{ cookie, pageKey, isSecure: false, remoteAddress: '10.0.0.9' },
      })
    return { clock, one, two, log, first: cookieIn(setCookie), cookieIn, send }
  }

  test('uses the new secret of one node at the other at once, and both count it once', async () => {
    const { clock, one, two, first, cookieIn, send } = await openTwo()
    await send(two, first)
    clock.move(day)
    // At the same time: one node gives a new secret, and both accept.
    const accepted = await Promise.all([one, two, one, two].map((auth) => send(auth, first)))
    const given = accepted.flatMap(({ setCookie }) => setCookie ?? [])
    expect(given).toHaveLength(1)
    const second = cookieIn(given[0] ?? '')
    for (const auth of [two, one, two]) await send(auth, second)
    await send(one, first) // still on its way
    for (let days = 1; days <= 3; days += 1) {
      clock.move(day)
      const auth = days % 2 === 0 ? one : two
      await send(auth, second)
    }
  })

  test('whose old secret is used at one node is signed out at both', async () => {
    const { clock, one, two, log, first, cookieIn, send } = await openTwo()
    clock.move(day)
    const second = cookieIn((await send(one, first)).setCookie ?? '')
    const { signal } = await send(one, second)
    const end = endOf(signal)
    // The new secret is in use. That is stored without holding up the request.
    await expect
      .poll(() => log.browsers.list())
      .toMatchObject([{ previousUntil: expect.any(Number) }])
    clock.move(120_000)
    await expect(send(two, first)).rejects.toMatchObject({
      code: 'browser_signed_out',
      message: expect.stringContaining('somebody may have copied it'),
    })
    expect(await end).toMatchObject({ code: 'browser_signed_out' })
    for (const auth of [one, two])
      await expect(send(auth, second)).rejects.toMatchObject({ code: 'browser_signed_out' })
  })

  test('with a wrong secret is refused, and stays paired', async () => {
    const { one, two, first, send } = await openTwo()
    const guess = first.replace(/.{43}$/, 'x'.repeat(43))
    for (const auth of [one, two])
      await expect(send(auth, guess)).rejects.toMatchObject({ code: 'browser_signed_out' })
    for (const auth of [one, two]) await send(auth, first)
  })
})
