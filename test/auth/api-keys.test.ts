import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenInvalid, tokenMissing } from '../../src/auth/token-problems.ts'
import { Problem } from '../../src/shared/problem.ts'
import { addKey, createClock, endOf, openAuth } from './samples.ts'

test('a key has its scopes, and only its hash is stored', async () => {
  const { auth, log } = await openAuth()
  const { key, header, id } = await addKey(auth, ['prompt', 'read', 'prompt'])
  expect(key).toMatch(/^sluice_[\w-]{43}$/)
  const access = await auth.authenticate(header)
  expect([...access.scopes]).toEqual(['read', 'prompt'])
  expect(access).toMatchObject({ keyId: id })
  expect(access.expiresAt).toBeUndefined()
  expect(access.signal.aborted).toBe(false)
  const [record] = await log.keys.list()
  expect(record).toMatchObject({ id, name: 'test', hash: hash('sha256', key) })
  expect(JSON.stringify(record)).not.toContain(key.slice('sluice_'.length))
  expect(await auth.keys.list()).toEqual([
    expect.not.objectContaining({ hash: expect.anything(), key: expect.anything() }),
  ])
})

test('every key is different', async () => {
  const { auth } = await openAuth()
  const made = await Promise.all(Array.from({ length: 100 }, () => addKey(auth)))
  expect(new Set(made.map(({ key }) => key)).size).toBe(100)
  expect(new Set(made.map(({ id }) => id)).size).toBe(100)
})

test.each([
  ['no header', undefined, 'token_missing'],
  ['an empty header', '', 'token_missing'],
  ['another scheme', 'Basic c2x1aWNl', 'token_missing'],
  ['a scheme that starts with Bearer', 'BearerX abc', 'token_missing'],
  ['a scheme without a token', 'Bearer ', 'token_invalid'],
  ['a key that does not exist', `Bearer sluice_${'A'.repeat(43)}`, 'token_invalid'],
  ['the prefix alone', 'Bearer sluice_', 'token_invalid'],
  ['two tokens', 'Bearer a b', 'token_invalid'],
  ['a malformed token', 'Bearer nonsense', 'token_invalid'],
  ['a huge token', `Bearer ${'a'.repeat(100_000)}`, 'token_invalid'],
])('%s is refused', async (_, header, code) => {
  const { auth } = await openAuth()
  await expect(auth.authenticate(header)).rejects.toMatchObject({
    name: 'Problem',
    status: 401,
    code,
    headers: { 'WWW-Authenticate': expect.stringMatching(/^Bearer/) },
  })
})

test('the scheme is case-insensitive (RFC 9110)', async () => {
  const { auth } = await openAuth()
  const { key, id } = await addKey(auth)
  expect(await auth.authenticate(`bearer ${key}`)).toMatchObject({ keyId: id })
  expect(await auth.authenticate(`BEARER  ${key} `)).toMatchObject({ keyId: id })
})

test('every wrong token gets the same 401', async () => {
  const { auth } = await openAuth()
  const { key } = await addKey(auth)
  const wrong = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((text) => `Bearer ${text}`),
    fc.string().map((text) => `Bearer sluice_${text}`),
    fc.nat({ max: key.length - 2 }).map((at) => `Bearer ${key.slice(0, at)}${key.slice(at + 1)}`),
    fc.array(fc.base64String(), { maxLength: 5 }).map((parts) => `Bearer ${parts.join('.')}`),
  )
  await fc.assert(
    fc.asyncProperty(wrong, async (header) => {
      const refusal = await auth.authenticate(header).catch((cause: unknown) => cause)
      if (!(refusal instanceof Problem)) return expect.unreachable(String(refusal))
      expect(refusal.status).toBe(401)
      const isMissing = refusal.code === 'token_missing'
      expect(refusal.message).toBe(isMissing ? tokenMissing().message : tokenInvalid().message)
    }),
    { numRuns: 300 },
  )
})

test('the whole key is compared, not only the part that finds its record', async () => {
  const { auth, log } = await openAuth()
  const { header, id } = await addKey(auth)
  const [record] = await log.keys.list()
  const other = await openAuth()
  const near = `${record?.hash.slice(0, 63)}${record?.hash.endsWith('0') ? '1' : '0'}`
  await other.log.keys.create({ id, name: 'near', hash: near, scopes: ['admin'], createdAt: 1 })
  await expect(other.auth.authenticate(header)).rejects.toMatchObject({ code: 'token_invalid' })
})

test('a revoked key is refused, and its open signals abort', async () => {
  const { auth } = await openAuth()
  const [one, other] = [await addKey(auth), await addKey(auth)]
  const [held, again, beside] = await Promise.all([
    auth.authenticate(one.header),
    auth.authenticate(one.header),
    auth.authenticate(other.header),
  ])
  const ends = [held.signal, again.signal].map(endOf)
  const late = await auth.authenticate(one.header)
  await auth.keys.revoke(one.id)
  for (const end of ends) expect(await end).toMatchObject({ code: 'key_revoked', status: 401 })
  expect(late.signal.reason).toMatchObject({ code: 'key_revoked' }) // first read after the revocation
  expect(beside.signal.aborted).toBe(false)
  await expect(auth.authenticate(one.header)).rejects.toMatchObject({ code: 'key_revoked' })
  await expect(auth.authenticate(other.header)).resolves.toMatchObject({ keyId: other.id })
  await auth.keys.revoke(one.id) // revoking twice is no error
  await expect(auth.keys.revoke('nothing')).rejects.toMatchObject({
    status: 404,
    code: 'unknown_key',
  })
})

test('the last use of a key is stored at most once a minute', async () => {
  const clock = createClock()
  const { auth, log } = await openAuth({ now: clock.now })
  const { id, header } = await addKey(auth)
  const used = async () => (await log.keys.get(id))?.lastUsedAt
  expect(await used()).toBeUndefined()
  const first = clock.now()
  await auth.authenticate(header)
  expect(await used()).toBe(first)
  clock.move(59_000)
  await auth.authenticate(header)
  expect(await used()).toBe(first)
  clock.move(1000)
  await auth.authenticate(header)
  expect(await used()).toBe(first + 60_000)
})

test('a key needs a name and scopes that exist', async () => {
  const { auth } = await openAuth()
  const bad = [
    { name: ' ', scopes: ['read' as const] },
    { name: 'x', scopes: [] },
    { name: 'x'.repeat(1000), scopes: ['read' as const] },
  ]
  for (const each of bad)
    await expect(auth.keys.create(each)).rejects.toMatchObject({ status: 422, code: 'invalid' })
  expect(await auth.keys.list()).toEqual([])
})

test('a scope that this version does not know is ignored', async () => {
  const { auth, log } = await openAuth()
  const { header, id } = await addKey(auth)
  const [record] = await log.keys.list()
  const other = await openAuth()
  await other.log.keys.create({
    ...record,
    id,
    name: 'later',
    hash: record?.hash ?? '',
    scopes: ['fly', 'read'],
    createdAt: 1,
  })
  expect([...(await other.auth.authenticate(header)).scopes]).toEqual(['read'])
  expect(await other.auth.keys.list()).toMatchObject([{ scopes: ['read'] }])
})

test('when no token is required, everyone has all scopes', async () => {
  const { auth } = await openAuth({ isRequired: false })
  for (const header of [undefined, 'Bearer stale'])
    expect([...(await auth.authenticate(header)).scopes]).toEqual([
      'read',
      'prompt',
      'approve',
      'rewrite',
      'admin',
    ])
  const { token } = await auth.issueToken({ access: await auth.authenticate(undefined) })
  const strict = await openAuth()
  await expect(strict.auth.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
    code: 'token_invalid',
  })
})
