import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { pairedBrowser, pairing } from '../../src/api/browser.ts'
import { issuedToken } from '../../src/api/key.ts'
import { createClient } from '../../src/client/client.ts'
import { eventually } from '../support/eventually.ts'
import {
  type LocalServer,
  type RequestOptions,
  readProblem,
  startLocalServer,
} from '../support/local-server.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: what nodes share: ${missing}`)

describe.skipIf(missing !== undefined)('two nodes over one NATS server', () => {
  let nats: NatsCluster
  let one: LocalServer
  let two: LocalServer
  beforeAll(async () => {
    nats = await startNats()
    const open = (node: string) =>
      startLocalServer({ nats: { servers: nats.urls, tenant: 'shared', node } })
    // At once, so that both make their first settings at the same time.
    ;[one, two] = await Promise.all([open('one'), open('two')])
  })
  afterAll(async () => {
    for (const server of [one, two]) {
      await server.close()
      server.remove()
    }
    await nats.stop()
  })

  /** Pairs a browser at one node with a code of a node. */
  const pair = async (code: string, at: LocalServer) => {
    const response = await at.api('/auth/pair', {
      ...{ method: 'POST', token: null, body: { code }, headers: { origin: at.url } },
    })
    expect(response.status).toBe(201)
    const { browser, pageKey } = pairedBrowser.parse(await response.json())
    const [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? []
    const send = (to: LocalServer, path: string, sent: RequestOptions = {}) =>
      to.api(path, {
        ...{ token: null, headers: { cookie, 'sluice-page': pageKey, origin: to.url } },
        ...sent,
      })
    return { id: browser.id, send }
  }
  const codeOf = (server: LocalServer): string => server.instance.pairingUrl().split('#')[1] ?? ''

  /** Opens a stream; `ended` resolves with how long after the call of `mark` it was cut. */
  const follow = async (response: Response) => {
    expect(response.status).toBe(200)
    let since = Number.POSITIVE_INFINITY
    const ended = response
      .text()
      .catch(() => '')
      .then(() => performance.now() - since)
    return {
      ended,
      mark() {
        since = performance.now()
      },
    }
  }

  test('a browser that was paired at one node is accepted by the other, and cut by it', async () => {
    const { id, send } = await pair(codeOf(one), one)
    expect((await send(one, '/access')).status).toBe(200)
    expect(await (await send(two, '/access')).json()).toMatchObject({ actor: { id } })
    const stream = await follow(await send(two, '/stream'))
    stream.mark()
    await one.client.browsers.revoke(id)
    const ms = await stream.ended
    expect(ms).toBeLessThan(1000)
    expect(await readProblem(send(two, '/access'))).toMatchObject({ code: 'browser_signed_out' })
  })

  test('a pairing code of one node works at the other, once', async () => {
    const created = await one.api('/auth/pairing', { method: 'POST' })
    const [, code = ''] = pairing.parse(await created.json()).url.split('#')
    const { send } = await pair(code, two)
    expect((await send(one, '/access')).status).toBe(200)
    for (const server of [one, two]) {
      const again = server.api('/auth/pair', {
        ...{ method: 'POST', token: null, body: { code }, headers: { origin: server.url } },
      })
      expect(await readProblem(again)).toMatchObject({ code: 'pairing_code_invalid' })
    }
  })

  test('a key of one node works at the other at once, with its tokens, until it is revoked', async () => {
    const { id, key } = await one.client.keys.create({ name: 'shared', scopes: ['read', 'admin'] })
    expect((await two.api('/access', { token: key })).status).toBe(200)
    const issued = await one.api('/auth/token', { method: 'POST', body: {}, token: key })
    const { token } = issuedToken.parse(await issued.json())
    expect((await two.api('/access', { token })).status).toBe(200)
    // A key that the other node has created from it, and a browser that signed in with it.
    const child = await createClient({ url: two.url, token: key }).keys.create({
      ...{ name: 'child', scopes: ['read'] },
    })
    const streams = await Promise.all(
      [key, token, child.key].map(async (each) =>
        follow(await two.api('/stream', { token: each })),
      ),
    )
    for (const stream of streams) stream.mark()
    await one.client.keys.revoke(id)
    for (const { ended } of streams) {
      const ms = await ended
      expect(ms).toBeLessThan(1000)
    }
    for (const each of [key, token, child.key])
      expect(await readProblem(two.api('/access', { token: each }))).toMatchObject({
        code: 'key_revoked',
      })
  })

  test('the audit names the node of each entry', async () => {
    await one.client.keys.create({ name: 'first', scopes: ['read'] })
    await two.client.keys.create({ name: 'second', scopes: ['read'] })
    for (const server of [one, two])
      await eventually(async () => {
        const { entries } = await server.client.audit.list({ action: 'key_created', limit: 2 })
        expect(entries).toMatchObject([{ node: 'two' }, { node: 'one' }])
      })
  })

  test('a budget of a day counts what all nodes use, and is changed on all', async () => {
    const own = await startLocalServer({
      nats: { servers: nats.urls, tenant: 'budgets', node: 'own' },
    })
    const other = await startLocalServer({
      nats: { servers: nats.urls, tenant: 'budgets', node: 'other' },
    })
    onTestFinished(async () => {
      for (const server of [own, other]) {
        await server.close()
        server.remove()
      }
    })
    await own.client.budgets.set({ scope: 'day', limits: { tokens: 1 } })
    const { id } = await own.createDemoSession()
    await own.client.sessions.prompt(id, 'tool')
    const pending = () =>
      eventually(async () => {
        const found = (await own.client.approvals.list()).find(({ kind }) => kind === 'budget')
        return found ?? expect.unreachable('no approval')
      })
    const { approvalId, hash } = await pending()
    const used = await own.client.budgets.list()
    expect(used[0]?.uses?.[0]?.spent).toBeGreaterThan(1)
    await eventually(async () => expect(await other.client.budgets.list()).toEqual(used))
    // The other node raises it: the agent of this one goes on.
    await other.client.budgets.update('day', { limits: { tokens: 1_000_000 } })
    await eventually(async () =>
      expect(await own.client.budgets.list()).toMatchObject([{ limits: { tokens: 1_000_000 } }]),
    )
    await own.api(`/approvals/${approvalId}`, {
      ...{ method: 'POST', body: { action: 'allow', hash, raise: 1 } },
    })
    await eventually(async () =>
      expect((await own.client.approvals.list()).filter(({ kind }) => kind === 'budget')).toEqual(
        [],
      ),
    )
    await other.client.budgets.remove('day')
    await eventually(async () => expect(await own.client.budgets.list()).toEqual([]))
  })
})
