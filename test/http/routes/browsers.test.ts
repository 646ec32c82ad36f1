import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairedBrowser } from '../../../src/api/browser.ts'
import { createClient } from '../../../src/client/client.ts'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(async () => {
  await server.close()
  server.remove()
})

interface SentHeaders {
  [name: string]: string
}

/** Pairs a browser over HTTP, as the page does. */
const pair = async (to = server) => {
  const [, code = ''] = to.instance.pairingUrl().split('#')
  const response = await to.api('/auth/pair', {
    method: 'POST',
    token: null,
    body: { code },
    headers: { origin: to.url, 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
  })
  const { browser, pageKey } = pairedBrowser.parse(await response.json())
  const [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? []
  const headers: SentHeaders = { cookie, 'sluice-page': pageKey, origin: to.url }
  const send = (path: string, method = 'GET', more: SentHeaders = {}, body?: unknown) =>
    to.api(path, { method, token: null, headers: { ...headers, ...more }, body })
  return { status: response.status, code, id: String(browser.id), browser, cookie, headers, send }
}

test('a code in the body of a request pairs a browser, and its cookie lets it in', async () => {
  const { status, browser, send } = await pair()
  expect(status).toBe(201)
  expect(browser).toMatchObject({ name: 'Firefox on Linux', isCurrent: true, address: '127.0.0.1' })
  expect((await send('/sessions')).status).toBe(200)
  expect(await (await send('/access')).json()).toMatchObject({
    actor: { kind: 'browser', id: browser.id, name: 'Firefox on Linux' },
  })
  expect(await (await send('/browsers')).json()).toMatchObject({
    browsers: expect.arrayContaining([
      expect.objectContaining({ id: browser.id, isCurrent: true }),
    ]),
  })
})

test('a code that was used, or never existed, is refused, and attempts are limited', async () => {
  const { code } = await pair()
  for (const sent of [code, 'pair_0000000000000000000000000', 'x'])
    expect(
      await readProblem(
        server.api('/auth/pair', { method: 'POST', token: null, body: { code: sent } }),
      ),
    ).toMatchObject({ status: 401, code: 'pairing_code_invalid' })
  const own = await startLocalServer()
  const attempts = await Promise.all(
    Array.from({ length: 130 }, () =>
      own.api('/auth/pair', { method: 'POST', token: null, body: { code: 'x' } }),
    ),
  )
  expect(attempts.some(({ status }) => status === 429)).toBe(true)
  await own.close()
  own.remove()
})

test.each([
  ['another origin', { origin: 'http://evil.example' }],
  ['another port of this host', { origin: 'http://127.0.0.1:1' }],
  ['an origin that is no origin', { origin: 'null' }],
  ['a page on another port, by its site', { 'sec-fetch-site': 'same-site' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
])('a change with the cookie from %s is refused', async (_, headers) => {
  const { send, browser } = await pair()
  const response = await send(`/browsers/${browser.id}`, 'DELETE', headers)
  expect(await readProblem(response)).toMatchObject({ status: 403, code: 'foreign_origin' })
  expect((await send('/sessions')).status).toBe(200)
})

test('a change without Origin is refused, unless the browser says that the page is ours', async () => {
  const { headers } = await pair()
  const { origin: _, ...without } = headers
  const revoke = (more: SentHeaders) =>
    server.api('/auth/logout', { method: 'POST', token: null, headers: { ...without, ...more } })
  expect(await readProblem(revoke({}))).toMatchObject({ code: 'foreign_origin' })
  expect((await revoke({ 'sec-fetch-site': 'same-origin' })).status).toBe(204)
})

test('the cookie without its page key is refused, and so is that of another server', async () => {
  const { headers, cookie } = await pair()
  const { 'sluice-page': _, ...cookieOnly } = headers
  expect(
    await readProblem(server.api('/sessions', { token: null, headers: cookieOnly })),
  ).toMatchObject({ status: 401, code: 'browser_signed_out' })
  const other = await startLocalServer()
  const foreign = await pair(other)
  expect(foreign.cookie.split('=')[0]).not.toBe(cookie.split('=')[0])
  const response = server.api('/sessions', {
    token: null,
    headers: { ...foreign.headers, origin: server.url },
  })
  expect(await readProblem(response)).toMatchObject({ status: 401, code: 'token_missing' })
  await other.close()
  other.remove()
})

test('signing out deletes the cookie and ends the streams; so does revoking', async () => {
  const { id: sessionId } = await server.createDemoSession()
  for (const end of ['logout', 'revoke']) {
    const { id, send } = await pair()
    const stream = await send(`/sessions/${sessionId}/stream`)
    expect(stream.status).toBe(200)
    const response =
      end === 'logout'
        ? await send('/auth/logout', 'POST')
        : await server.api(`/browsers/${id}`, { method: 'DELETE' })
    expect(response.status).toBe(204)
    if (end === 'logout')
      expect(response.headers.get('set-cookie')).toContain('=; Path=/; Max-Age=0')
    expect(await stream.text()).toContain('snapshot') // it has ended
    expect(await readProblem(send('/sessions'))).toMatchObject({ code: 'browser_signed_out' })
  }
})

test('pairing again replaces the earlier pairing of the same browser', async () => {
  const { id, headers, send } = await pair()
  const [, code = ''] = server.instance.pairingUrl().split('#')
  const response = await server.api('/auth/pair', {
    method: 'POST',
    token: null,
    body: { code },
    headers,
  })
  expect(response.status).toBe(201)
  expect((await server.client.browsers.list()).map((each) => each.id)).not.toContain(id)
  expect((await send('/sessions')).status).toBe(401)
})

test('signing in with a key replaces the earlier pairing of the same browser', async () => {
  const { id, headers } = await pair()
  const response = await server.api('/auth/sign-in', { method: 'POST', headers })
  expect(response.status).toBe(201)
  expect((await server.client.browsers.list()).map((each) => each.id)).not.toContain(id)
})

test('a pairing link and a new name are in the audit', async () => {
  const { id } = await pair()
  await server.client.auth.createPairing()
  await server.client.browsers.rename(id, 'Desk')
  const { entries } = await server.client.audit.list({ limit: 2 })
  expect(entries).toMatchObject([
    { action: 'browser_renamed', detail: `${id}: Desk` },
    { action: 'pairing_created' },
  ])
})

test('a pairing link needs admin, and says where other devices reach the server', async () => {
  const pairing = await server.client.auth.createPairing()
  expect(pairing).toMatchObject({ networkUrls: [], expiresAt: expect.any(Number) })
  expect(pairing.url).toMatch(new RegExp(`^${server.url}/pair#pair_[\\w-]{27}$`))
  const { key } = await server.client.keys.create({ name: 'x', scopes: ['read', 'approve'] })
  const { auth, browsers } = createClient({ url: server.url, token: key })
  await expect(auth.createPairing()).rejects.toMatchObject({ code: 'wrong_scope' })
  await expect(browsers.list()).rejects.toMatchObject({ code: 'wrong_scope' })
})

test('a short token cannot pair a browser, which would last longer', async () => {
  const { token } = await server.client.auth.token()
  const { auth } = createClient({ url: server.url, token })
  await expect(auth.createPairing()).rejects.toMatchObject({ code: 'key_required' })
})

test('a key for one project does not see or sign out other browsers', async () => {
  const { id } = await pair()
  const { project } = await server.createDemoSession()
  const scopes = ['read' as const, 'admin' as const]
  const { key } = await server.client.keys.create({ name: 'p', scopes, projects: [project.id] })
  const { browsers } = createClient({ url: server.url, token: key })
  await expect(browsers.list()).rejects.toMatchObject({ code: 'key_limited' })
  await expect(browsers.revoke(id)).rejects.toMatchObject({ code: 'key_limited' })
})

test('no file of the data directory lets anybody in', async () => {
  const { headers } = await pair()
  const { token } = await server.client.auth.token()
  const [, code = ''] = server.instance.pairingUrl().split('#')
  const data = join(server.root, 'data')
  const { cookie = '', 'sluice-page': pageKey = '' } = headers
  const secrets = [server.key, token, code, pageKey, cookie.split('.').at(-1) ?? '']
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' })
  expect(names).not.toContain('browser-key')
  expect(names).not.toContain('token-secret')
  const files = names.map((name) => join(data, name)).filter((path) => statSync(path).isFile())
  expect(files.length).toBeGreaterThan(2)
  for (const path of files) {
    const content = readFileSync(path, 'latin1')
    for (const secret of secrets) expect(content.includes(secret), `${path}: ${secret}`).toBe(false)
    // Nor does anything that a file contains work as a token.
    const words = new Set(content.match(/(?:sluice|pair|ticket)_[\w-]{20,}|\b[\w-]{43}\b/g) ?? [])
    for (const word of words)
      expect((await server.api('/sessions', { token: word })).status, `${path}: ${word}`).toBe(401)
  }
})

test('the control socket is private, and gives a ticket that works once', async () => {
  const data = join(server.root, 'data')
  const path = join(data, 'control.sock')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  const ticket = await new Promise<string>((resolve) => {
    connect(path)
      .setEncoding('utf8')
      .once('data', (text) => resolve(String(text)))
  })
  expect((await server.api('/keys', { token: ticket })).status).toBe(200)
  expect((await server.api('/keys', { token: ticket })).status).toBe(401)
  if (process.getuid?.() !== 0) return
  // Another user cannot connect; only root can try that.
  const script = `require('net').connect(${JSON.stringify(path)}).on('error', (e) => console.log(e.code)).on('data', () => console.log('in'))`
  const nobody = { uid: 65534, gid: 65534, encoding: 'utf8' as const, cwd: '/' }
  const result = execFileSync('/usr/bin/env', ['node', '-e', script], nobody)
  expect(result.trim()).toBe('EACCES')
})
