import { randomBytes } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { createAuth } from '../../src/auth/auth.ts'
import { tokenInvalid } from '../../src/auth/token-problems.ts'
import { addKey, createClock, endOf, openAuth } from './samples.ts'

const minute = 60_000

test('a token has the scopes of its key or fewer, and lasts 15 minutes', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const { header, id } = await addKey(auth, ['read', 'prompt', 'approve'])
  const access = await auth.authenticate(header)
  const whole = await auth.issueToken({ access })
  expect(whole).toMatchObject({ scopes: ['read', 'prompt', 'approve'] })
  expect(whole.expiresAt).toBe(clock.now() + 15 * minute)
  const less = await auth.issueToken({ access, scopes: ['read', 'read'], ttlSeconds: 60 })
  const small = await auth.authenticate(`Bearer ${less.token}`)
  expect(small).toMatchObject({ keyId: id, expiresAt: clock.now() + minute })
  expect([...small.scopes]).toEqual(['read'])
})

test('a token never has more scopes or time than the access that issues it', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const { header } = await addKey(auth, ['read', 'prompt'])
  const access = await auth.authenticate(header)
  await expect(auth.issueToken({ access, scopes: ['read', 'admin'] })).rejects.toMatchObject({
    status: 403,
    code: 'wrong_scope',
    extra: { missing: ['admin'] },
  })
  const short = await auth.issueToken({ access, scopes: ['read'], ttlSeconds: 60 })
  const from = await auth.authenticate(`Bearer ${short.token}`)
  await expect(auth.issueToken({ access: from, scopes: ['prompt'] })).rejects.toMatchObject({
    status: 403,
  })
  const again = await auth.issueToken({ access: from, ttlSeconds: 3600 })
  expect(again.expiresAt).toBe(short.expiresAt)
})

test.each([0, -1, 1.5, 86_401, Number.NaN, Number.POSITIVE_INFINITY])(
  'a lifetime of %d seconds is refused',
  async (ttlSeconds) => {
    const { auth } = await openAuth()
    const access = await auth.authenticate((await addKey(auth)).header)
    await expect(auth.issueToken({ access, ttlSeconds })).rejects.toMatchObject({ status: 422 })
    await expect(auth.issueToken({ access, scopes: [] })).rejects.toMatchObject({ status: 422 })
  },
)

test('an expired token is refused with its own code', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const access = await auth.authenticate((await addKey(auth)).header)
  const { token } = await auth.issueToken({ access, ttlSeconds: 86_400 })
  clock.move(86_399_000)
  await auth.authenticate(`Bearer ${token}`)
  clock.move(1000)
  await expect(auth.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
    status: 401,
    code: 'token_expired',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
})

test('the signal of a token aborts when it expires, by the real clock', async () => {
  const { auth } = await openAuth()
  const access = await auth.authenticate((await addKey(auth)).header)
  const { token, expiresAt } = await auth.issueToken({ access, ttlSeconds: 1 })
  const { signal } = await auth.authenticate(`Bearer ${token}`)
  expect(await endOf(signal)).toMatchObject({ code: 'token_expired', status: 401 })
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
  expect(access.signal.aborted).toBe(false)
})

test('revoking a key revokes its tokens and aborts their signals', async () => {
  const { auth } = await openAuth()
  const { header, id } = await addKey(auth)
  const access = await auth.authenticate(header)
  const { token } = await auth.issueToken({ access })
  const held = await auth.authenticate(`Bearer ${token}`)
  const end = endOf(held.signal)
  await auth.keys.revoke(id)
  expect(await end).toMatchObject({ code: 'key_revoked' })
  await expect(auth.authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'key_revoked' })
  await expect(auth.issueToken({ access })).rejects.toMatchObject({ code: 'key_revoked' })
})

test('tokens end with the process, unless it is given the same secret again', async () => {
  const { auth, log, secret } = await openAuth()
  const { token } = await auth.issueToken({
    access: await auth.authenticate((await addKey(auth)).header),
  })
  const same = createAuth({ ...log, serverId: 'x', secret })
  await same.authenticate(`Bearer ${token}`)
  const other = createAuth({ ...log, serverId: 'x', secret: randomBytes(32) })
  await expect(other.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
    code: 'token_invalid',
  })
  const restarted = createAuth({ ...log, serverId: 'x' })
  await expect(restarted.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
    code: 'token_invalid',
  })
  expect(() => createAuth({ ...log, serverId: 'x', secret: randomBytes(31) })).toThrow(/256/)
})

test('a token with any character changed is invalid', async () => {
  const { auth } = await openAuth()
  const { token } = await auth.issueToken({
    access: await auth.authenticate((await addKey(auth)).header),
  })
  // Some bits of the last character are padding.
  for (let at = 0; at < token.length - 1; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    await expect(auth.authenticate(`Bearer ${changed}`)).rejects.toMatchObject({
      code: 'token_invalid',
    })
  }
})

test('a forged token is refused without a reason', async () => {
  const { auth, secret } = await openAuth()
  const { id } = await addKey(auth)
  const hour = Math.floor(Date.now() / 1000) + 3600
  const claims = { sub: id, scopes: ['admin'], iss: 'sluice', aud: 'sluice-api', exp: hour, iat: 1 }
  const sign = (payload: object, alg = 'HS256', key = secret) =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg }).sign(key)
  await expect(auth.authenticate(`Bearer ${await sign(claims)}`)).resolves.toMatchObject({
    keyId: id,
  })
  const { exp: _, ...endless } = claims
  const { sub: __, ...nobodys } = claims
  const wrong = [
    await sign(claims, 'HS256', randomBytes(32)),
    await sign({ ...claims, exp: 1 }, 'HS256', randomBytes(32)), // does not even learn that it has expired
    await sign(claims, 'HS384', secret),
    await sign({ ...claims, iss: 'other' }),
    await sign({ ...claims, aud: 'other' }),
    await sign({ ...claims, sub: 'nobody' }),
    await sign({ ...claims, scopes: ['everything'] }),
    await sign({ ...claims, scopes: [] }),
    await sign({ ...claims, scopes: 'admin' }),
    await sign({ ...claims, nbf: hour }),
    await sign(endless),
    await sign(nobodys),
    new UnsecuredJWT(claims).encode(),
  ]
  for (const token of wrong)
    await expect(auth.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'token_invalid',
      message: tokenInvalid().message,
    })
})
