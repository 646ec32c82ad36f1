import { describe, expect, test } from 'vitest'
import { allScopes } from '../../src/api/scopes.ts'
import type { Auth } from '../../src/auth/auth.ts'
import { browserName } from '../../src/auth/browser-name.ts'
import { addKey, createClock, endOf, openAuth, serverId } from './samples.ts'

const day = 24 * 60 * 60 * 1000
const firefox = { name: 'Firefox on Linux', address: '127.0.0.1', isSecure: false }

/** A browser with a cookie jar. */
const pairBrowser = async (auth: Auth) => {
  const { code } = auth.signIn.createCode()
  const { setCookie, pageKey, browser } = await auth.signIn.pair(code, firefox)
  let cookie = setCookie.split(';', 1).join('')
  /** Sends a request with a cookie; by default with the newest, as a browser does. */
  const send = async (sent = cookie, page: string | undefined = pageKey) => {
    const credentials = { cookie: sent, pageKey: page, isSecure: false, remoteAddress: '10.0.0.9' }
    return auth.authenticate(undefined, credentials)
  }
  return {
    ...{ id: browser.id, pageKey, setCookie, send },
    cookie: () => cookie,
    /** Sends a request, and stores the new cookie if there is one. */
    async use() {
      const access = await send()
      if (access.setCookie !== undefined) cookie = access.setCookie.split(';', 1).join('')
      return access
    },
  }
}

describe('pairing', () => {
  test('a code works once, and a browser then gets in with its cookie and page key', async () => {
    const { auth } = await openAuth()
    const { code } = auth.signIn.createCode()
    expect(code).toMatch(/^pair_[\w-]{27}$/) // 160 random bits
    const { browser, setCookie } = await auth.signIn.pair(code, firefox)
    expect(browser).toMatchObject({ name: 'Firefox on Linux', scopes: allScopes })
    expect(setCookie).toMatch(
      new RegExp(
        `^sluice-${serverId}=${browser.id}\\.[\\w-]{43}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict$`,
      ),
    )
    await expect(auth.signIn.pair(code, firefox)).rejects.toMatchObject({
      status: 401,
      code: 'pairing_code_invalid',
    })
    const { send } = await pairBrowser(auth)
    expect((await send()).actor).toMatchObject({ kind: 'browser', name: 'Firefox on Linux' })
  })

  test('a code ends after two minutes; only the newest 20 wait', async () => {
    const clock = createClock()
    const { auth } = await openAuth(clock)
    const invalid = { code: 'pairing_code_invalid' }
    const late = auth.signIn.createCode()
    clock.move(119_999)
    const inTime = auth.signIn.createCode()
    clock.move(1)
    await expect(auth.signIn.pair(late.code, firefox)).rejects.toMatchObject(invalid)
    await auth.signIn.pair(inTime.code, firefox)
    const codes = Array.from({ length: 21 }, () => auth.signIn.createCode().code)
    await expect(auth.signIn.pair(codes[0] ?? '', firefox)).rejects.toMatchObject(invalid)
    await auth.signIn.pair(codes[1] ?? '', firefox)
    await expect(auth.signIn.pair('pair_wrong', firefox)).rejects.toMatchObject(invalid)
  })

  test('over HTTPS the cookie is Secure and bound to the host; the plain one is not read', async () => {
    const { auth } = await openAuth()
    const { code } = auth.signIn.createCode()
    const { setCookie } = await auth.signIn.pair(code, { ...firefox, isSecure: true })
    expect(setCookie).toMatch(new RegExp(`^__Host-sluice-${serverId}=.*; Secure$`))
    const { cookie } = await pairBrowser(auth)
    expect(auth.hasCookie({ cookie: cookie(), isSecure: false })).toBe(true)
    expect(auth.hasCookie({ cookie: cookie(), isSecure: true })).toBe(false)
  })

  test('nobody passes on scopes that they lack', async () => {
    const { auth } = await openAuth()
    const { header, id } = await addKey(auth, ['read', 'admin'])
    const access = await auth.authenticate(header)
    expect(() => auth.signIn.createCode(access, ['approve'])).toThrow(
      'scopes that you lack: approve',
    )
    const { browser } = await auth.signIn.pair(auth.signIn.createCode(access).code, firefox)
    expect(browser).toMatchObject({ scopes: ['read', 'admin'], keyId: id })
  })
})

describe('the cookie', () => {
  test('alone opens nothing: other ports of the host get it, too', async () => {
    const { auth } = await openAuth()
    const { send, cookie } = await pairBrowser(auth)
    for (const page of ['', 'x'.repeat(43)])
      await expect(send(cookie(), page)).rejects.toMatchObject({ code: 'browser_signed_out' })
    const other = await pairBrowser(auth)
    await expect(send(cookie(), other.pageKey)).rejects.toMatchObject({ status: 401 })
    await send()
  })

  test('gets a new secret every day; the one before stays valid until the new one is used', async () => {
    const clock = createClock()
    const { auth } = await openAuth(clock)
    const browser = await pairBrowser(auth)
    const first = browser.cookie()
    clock.move(day - 1)
    expect((await browser.use()).setCookie).toBeUndefined()
    clock.move(1)
    // Requests at the same time: one gets the new secret, and all are accepted.
    const parallel = await Promise.all([browser.use(), browser.send(first), browser.send(first)])
    expect(parallel.map((each) => each.setCookie !== undefined)).toEqual([true, false, false])
    expect(browser.cookie()).not.toBe(first)
    await browser.use()
    await browser.send(first) // still on its way
    clock.move(60_000)
    await browser.use()
  })

  test('a lost response does not sign a browser out', async () => {
    const clock = createClock()
    const { auth } = await openAuth(clock)
    const browser = await pairBrowser(auth)
    const first = browser.cookie()
    clock.move(day)
    const lost = (await browser.send(first)).setCookie?.split(';', 1).join('') ?? ''
    clock.move(7 * day)
    expect((await browser.use()).setCookie).toBeDefined() // another new secret
    await browser.use()
    await expect(browser.send(lost)).rejects.toMatchObject({ code: 'browser_signed_out' })
    await browser.use() // the lost one was never in use, so it is no copy
  })

  test('an old secret is a copy: it signs the browser out, for the thief and the owner', async () => {
    const clock = createClock()
    const { auth, log } = await openAuth(clock)
    const browser = await pairBrowser(auth)
    const stolen = browser.cookie()
    clock.move(day)
    await browser.use()
    const { signal } = await browser.use()
    const end = endOf(signal)
    clock.move(60_000)
    await expect(browser.send(stolen)).rejects.toMatchObject({
      code: 'browser_signed_out',
      message: expect.stringContaining('somebody may have copied it'),
    })
    expect(await end).toMatchObject({ code: 'browser_signed_out' })
    await expect(browser.use()).rejects.toMatchObject({ code: 'browser_signed_out' })
    expect(await log.browsers.list()).toEqual([])
  })

  test('a secret of two days ago is recognised, too; a wrong one only refused', async () => {
    const clock = createClock()
    const { auth } = await openAuth(clock)
    const browser = await pairBrowser(auth)
    const [stolen] = [browser.cookie()]
    for (let days = 0; days < 3; days += 1) {
      clock.move(day)
      await browser.use()
      await browser.use()
    }
    const guess = browser.cookie().replace(/.{43}$/, 'x'.repeat(43))
    await expect(browser.send(guess)).rejects.toMatchObject({ status: 401 })
    await browser.use()
    await expect(browser.send(stolen)).rejects.toMatchObject({ status: 401 })
    await expect(browser.use()).rejects.toMatchObject({ status: 401 })
  })

  test('of another server or malformed is no cookie', async () => {
    const { auth } = await openAuth()
    const browser = await pairBrowser(auth)
    const other = browser.cookie().replace(serverId, 'ba9876543210')
    for (const sent of [other, '', `sluice-${serverId}=`, browser.cookie().slice(0, -1)])
      await expect(browser.send(sent)).rejects.toMatchObject({ code: 'token_missing' })
    await browser.send(`a=b; ${browser.cookie()}; c=d`)
  })
})

describe('a paired browser', () => {
  test('ends after 30 days without use, and after 90 days in any case', async () => {
    const clock = createClock()
    const { auth, log } = await openAuth(clock)
    const idle = await pairBrowser(auth)
    const busy = await pairBrowser(auth)
    clock.move(29 * day)
    await busy.use()
    clock.move(day)
    await expect(idle.use()).rejects.toMatchObject({ code: 'browser_expired' })
    for (let days = 30; days < 89; days += 1) {
      clock.move(day)
      await busy.use()
    }
    expect((await log.browsers.list()).map(({ id }) => id)).toEqual([busy.id])
    clock.move(day)
    await expect(busy.use()).rejects.toMatchObject({ code: 'browser_expired' })
  })

  test('is listed without its secrets, renamed and signed out', async () => {
    const clock = createClock()
    const { auth } = await openAuth(clock)
    const { id, use } = await pairBrowser(auth)
    const other = await pairBrowser(auth)
    const { signal } = await use()
    clock.move(60_000)
    await use()
    const listed = await auth.browsers.list(id)
    expect(listed).toMatchObject([
      { id, isCurrent: true, lastUsedAt: clock.now(), address: '10.0.0.9' },
      { id: other.id, isCurrent: false },
    ])
    expect(JSON.stringify(listed)).not.toMatch(/[0-9a-f]{64}/)
    await auth.browsers.rename(id, 'Desk')
    expect((await use()).actor.name).toBe('Desk')
    const end = endOf(signal)
    await auth.browsers.revoke(id)
    expect(await end).toMatchObject({ code: 'browser_signed_out' })
    await expect(use()).rejects.toMatchObject({ code: 'browser_signed_out' })
    await expect(auth.browsers.revoke(id)).rejects.toMatchObject({ code: 'unknown_browser' })
    expect((await other.use()).signal.aborted).toBe(false)
  })

  test('that signed in with a key has no more than the key, and ends with it', async () => {
    const { auth } = await openAuth()
    const { header, id: keyId } = await addKey(auth, ['read'])
    const { setCookie, pageKey } = await auth.signIn.withKey(
      await auth.authenticate(header),
      firefox,
    )
    const cookie = setCookie.split(';', 1).join('')
    const credentials = { cookie, pageKey, isSecure: false, remoteAddress: undefined }
    const access = await auth.authenticate(undefined, credentials)
    expect(access).toMatchObject({ keyId, scopes: new Set(['read']), actor: { kind: 'browser' } })
    const end = endOf(access.signal)
    await auth.keys.revoke(keyId)
    expect(await end).toMatchObject({ status: 401 })
    await expect(auth.authenticate(undefined, credentials)).rejects.toMatchObject({ status: 401 })
  })

  test('cannot sign in with a short token, which would live longer that way', async () => {
    const { auth } = await openAuth()
    const access = await auth.authenticate((await addKey(auth)).header)
    const { token } = await auth.issueToken({ access })
    const short = await auth.authenticate(`Bearer ${token}`)
    await expect(auth.signIn.withKey(short, firefox)).rejects.toMatchObject({
      code: 'key_required',
    })
    const browser = await (await pairBrowser(auth)).use()
    await expect(auth.issueToken({ access: browser })).rejects.toMatchObject({
      code: 'key_required',
    })
  })
})

describe('a ticket', () => {
  test('lets the command line in once, for 10 seconds', async () => {
    const clock = createClock()
    const { auth } = await openAuth(clock)
    const header = `Bearer ${auth.createTicket()}`
    const access = await auth.authenticate(header)
    expect(access).toMatchObject({ actor: { kind: 'local' }, scopes: new Set(allScopes) })
    await expect(auth.authenticate(header)).rejects.toMatchObject({ code: 'token_invalid' })
    const late = `Bearer ${auth.createTicket()}`
    clock.move(10_000)
    await expect(auth.authenticate(late)).rejects.toMatchObject({ code: 'token_invalid' })
  })
})

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['curl/8.5.0', 'curl'],
  ['', 'Browser'],
])('%s is called %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
