import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Problem } from '../../src/shared/problem.ts'
import { addKey, createClock, endOf, openAuth } from './samples.ts'

test('a key opens what its scopes say, and is kept as its hash only', async () => {
  const { auth, log } = await openAuth()
  const { key, header, id } = await addKey(auth, ['prompt', 'read', 'prompt'])
  expect(key).toMatch(/^sluice_[\w-]{43}$/)
  const access = await auth.check(header)
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

test('no two keys are the same', async () => {
  const { auth } = await openAuth()
  const made = await Promise.all(Array.from({ length: 100 }, () => addKey(auth)))
  expect(new Set(made.map(({ key }) => key)).size).toBe(100)
  expect(new Set(made.map(({ id }) => id)).size).toBe(100)
})

test.each([
  ['no header', undefined, 'token_missing'],
  ['an empty one', '', 'token_missing'],
  ['another scheme', 'Basic c2x1aWNl', 'token_missing'],
  ['a scheme that begins alike', 'BearerX abc', 'token_missing'],
  ['no token behind the scheme', 'Bearer ', 'token_invalid'],
  ['a key that was never made', `Bearer sluice_${'A'.repeat(43)}`, 'token_invalid'],
  ['the prefix alone', 'Bearer sluice_', 'token_invalid'],
  ['two tokens', 'Bearer a b', 'token_invalid'],
  ['what is no token', 'Bearer nonsense', 'token_invalid'],
  ['a huge one', `Bearer ${'a'.repeat(100_000)}`, 'token_invalid'],
])('%s is refused', async (_, header, code) => {
  const { auth } = await openAuth()
  await expect(auth.check(header)).rejects.toMatchObject({
    name: 'Problem',
    status: 401,
    code,
    headers: { 'WWW-Authenticate': expect.stringMatching(/^Bearer/) },
  })
})

test('the scheme is read in any case, as RFC 9110 has it', async () => {
  const { auth } = await openAuth()
  const { key, id } = await addKey(auth)
  expect(await auth.check(`bearer ${key}`)).toMatchObject({ keyId: id })
  expect(await auth.check(`BEARER  ${key} `)).toMatchObject({ keyId: id })
})

test('whatever is sent, the answer is a 401 that says the same of every wrong token', async () => {
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
      const refusal = await auth.check(header).catch((cause: unknown) => cause)
      if (!(refusal instanceof Problem)) return expect.unreachable(String(refusal))
      expect(refusal.status).toBe(401)
      const isMissing = refusal.code === 'token_missing'
      expect(refusal.message).toBe(
        isMissing ? 'Send `Authorization: Bearer <token>`.' : 'The token is not valid here.',
      )
    }),
    { numRuns: 300 },
  )
})

test('a key is compared whole, not only the part that finds it', async () => {
  const { auth, log } = await openAuth()
  const { header, id } = await addKey(auth)
  const [record] = await log.keys.list()
  const other = await openAuth()
  const near = `${record?.hash.slice(0, 63)}${record?.hash.endsWith('0') ? '1' : '0'}`
  await other.log.keys.create({ id, name: 'near', hash: near, scopes: ['admin'], createdAt: 1 })
  await expect(other.auth.check(header)).rejects.toMatchObject({ code: 'token_invalid' })
})

test('a revoked key opens nothing more, and ends what it has opened', async () => {
  const { auth } = await openAuth()
  const [one, other] = [await addKey(auth), await addKey(auth)]
  const [held, again, beside] = await Promise.all([
    auth.check(one.header),
    auth.check(one.header),
    auth.check(other.header),
  ])
  const ends = [held.signal, again.signal].map(endOf)
  const late = await auth.check(one.header)
  await auth.keys.revoke(one.id)
  for (const end of ends) expect(await end).toMatchObject({ code: 'key_revoked', status: 401 })
  expect(late.signal.reason).toMatchObject({ code: 'key_revoked' }) // first asked for afterwards
  expect(beside.signal.aborted).toBe(false)
  await expect(auth.check(one.header)).rejects.toMatchObject({ code: 'key_revoked' })
  await expect(auth.check(other.header)).resolves.toMatchObject({ keyId: other.id })
  await auth.keys.revoke(one.id) // again is no mistake
  await expect(auth.keys.revoke('nothing')).rejects.toMatchObject({
    status: 404,
    code: 'unknown_key',
  })
})

test('use is noted, once a minute at most', async () => {
  const clock = createClock()
  const { auth, log } = await openAuth({ now: clock.now })
  const { id, header } = await addKey(auth)
  const used = async () => (await log.keys.get(id))?.lastUsedAt
  expect(await used()).toBeUndefined()
  const first = clock.now()
  await auth.check(header)
  expect(await used()).toBe(first)
  clock.move(59_000)
  await auth.check(header)
  expect(await used()).toBe(first)
  clock.move(1000)
  await auth.check(header)
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
    await expect(auth.keys.add(each)).rejects.toMatchObject({ status: 422, code: 'invalid' })
  expect(await auth.keys.list()).toEqual([])
})

test('a scope that this version does not know opens nothing', async () => {
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
  expect([...(await other.auth.check(header)).scopes]).toEqual(['read'])
  expect(await other.auth.keys.list()).toMatchObject([{ scopes: ['read'] }])
})

test('where no token is needed, everybody may do everything', async () => {
  const { auth } = await openAuth({ isRequired: false })
  for (const header of [undefined, 'Bearer stale'])
    expect([...(await auth.check(header)).scopes]).toEqual(['read', 'prompt', 'approve', 'admin'])
  const { token } = await auth.issue({ access: await auth.check(undefined) })
  const strict = await openAuth()
  await expect(strict.auth.check(`Bearer ${token}`)).rejects.toMatchObject({
    code: 'token_invalid',
  })
})
