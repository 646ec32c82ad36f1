import { randomBytes } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { expect, test } from 'vitest'
import { createAuth } from '../../src/auth/auth.ts'
import { addKey, createClock, endOf, openAuth } from './samples.ts'

const minute = 60_000

test('a token opens the same as its key, or less, for 15 minutes', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const { header, id } = await addKey(auth, ['read', 'prompt', 'approve'])
  const access = await auth.check(header)
  const whole = await auth.issue({ access })
  expect(whole).toMatchObject({ scopes: ['read', 'prompt', 'approve'] })
  expect(whole.expiresAt).toBe(clock.now() + 15 * minute)
  const less = await auth.issue({ access, scopes: ['read', 'read'], ttlSeconds: 60 })
  const small = await auth.check(`Bearer ${less.token}`)
  expect(small).toMatchObject({ keyId: id, expiresAt: clock.now() + minute })
  expect([...small.scopes]).toEqual(['read'])
})

test('never more than what it is issued from: neither scopes nor time', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const { header } = await addKey(auth, ['read', 'prompt'])
  const access = await auth.check(header)
  await expect(auth.issue({ access, scopes: ['read', 'admin'] })).rejects.toMatchObject({
    status: 403,
    code: 'wrong_scope',
    extra: { missing: ['admin'] },
  })
  const short = await auth.issue({ access, scopes: ['read'], ttlSeconds: 60 })
  const from = await auth.check(`Bearer ${short.token}`)
  await expect(auth.issue({ access: from, scopes: ['prompt'] })).rejects.toMatchObject({
    status: 403,
  })
  const again = await auth.issue({ access: from, ttlSeconds: 3600 })
  expect(again.expiresAt).toBe(short.expiresAt)
})

test.each([0, -1, 1.5, 86_401, Number.NaN, Number.POSITIVE_INFINITY])(
  'a life of %d seconds is refused',
  async (ttlSeconds) => {
    const { auth } = await openAuth()
    const access = await auth.check((await addKey(auth)).header)
    await expect(auth.issue({ access, ttlSeconds })).rejects.toMatchObject({ status: 422 })
    await expect(auth.issue({ access, scopes: [] })).rejects.toMatchObject({ status: 422 })
  },
)

test('an expired token is refused, and says so', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const access = await auth.check((await addKey(auth)).header)
  const { token } = await auth.issue({ access, ttlSeconds: 86_400 })
  clock.move(86_399_000)
  await auth.check(`Bearer ${token}`)
  clock.move(1000)
  await expect(auth.check(`Bearer ${token}`)).rejects.toMatchObject({
    status: 401,
    code: 'token_expired',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
})

test('what a token holds open ends with it, by the real clock', async () => {
  const { auth } = await openAuth()
  const access = await auth.check((await addKey(auth)).header)
  const { token, expiresAt } = await auth.issue({ access, ttlSeconds: 1 })
  const { signal } = await auth.check(`Bearer ${token}`)
  expect(await endOf(signal)).toMatchObject({ code: 'token_expired', status: 401 })
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
  expect(access.signal.aborted).toBe(false)
})

test('a revoked key takes its tokens along, open and new', async () => {
  const { auth } = await openAuth()
  const { header, id } = await addKey(auth)
  const access = await auth.check(header)
  const { token } = await auth.issue({ access })
  const held = await auth.check(`Bearer ${token}`)
  const end = endOf(held.signal)
  await auth.keys.revoke(id)
  expect(await end).toMatchObject({ code: 'key_revoked' })
  await expect(auth.check(`Bearer ${token}`)).rejects.toMatchObject({ code: 'key_revoked' })
  await expect(auth.issue({ access })).rejects.toMatchObject({ code: 'key_revoked' })
})

test('tokens outlive a restart with the same secret, and no other', async () => {
  const { auth, log, secret } = await openAuth()
  const { token } = await auth.issue({ access: await auth.check((await addKey(auth)).header) })
  const same = createAuth({ keys: log.keys, secret })
  await same.check(`Bearer ${token}`)
  const other = createAuth({ keys: log.keys, secret: randomBytes(32) })
  await expect(other.check(`Bearer ${token}`)).rejects.toMatchObject({ code: 'token_invalid' })
  expect(() => createAuth({ keys: log.keys, secret: randomBytes(31) })).toThrow(/256/)
})

test('a token that was changed anywhere is not valid', async () => {
  const { auth } = await openAuth()
  const { token } = await auth.issue({ access: await auth.check((await addKey(auth)).header) })
  // The last character has bits that mean nothing.
  for (let at = 0; at < token.length - 1; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    await expect(auth.check(`Bearer ${changed}`)).rejects.toMatchObject({ code: 'token_invalid' })
  }
})

test('a token that only looks like ours is not valid, and is told nothing more', async () => {
  const { auth, secret } = await openAuth()
  const { id } = await addKey(auth)
  const hour = Math.floor(Date.now() / 1000) + 3600
  const claims = { sub: id, scopes: ['admin'], iss: 'sluice', aud: 'sluice-api', exp: hour, iat: 1 }
  const sign = (payload: object, alg = 'HS256', key = secret) =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg }).sign(key)
  await expect(auth.check(`Bearer ${await sign(claims)}`)).resolves.toMatchObject({ keyId: id })
  const { exp: _, ...endless } = claims
  const { sub: __, ...nobodys } = claims
  const wrong = [
    await sign(claims, 'HS256', randomBytes(32)),
    await sign({ ...claims, exp: 1 }, 'HS256', randomBytes(32)), // not even that it has expired
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
    await expect(auth.check(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'token_invalid',
      message: 'The token is not valid here.',
    })
})
