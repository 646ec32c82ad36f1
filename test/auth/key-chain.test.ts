import { expect, test } from 'vitest'
import type { NewKey, Scope } from '../../src/api/types.ts'
import type { Auth } from '../../src/auth/auth.ts'
import { createClock, endOf, openAuth } from './samples.ts'

const day = 24 * 60 * 60 * 1000

/** Creates a key, with the rights of another one if there is a header. */
const mint = async (auth: Auth, request: Partial<NewKey>, header?: string) => {
  const access = header === undefined ? undefined : await auth.authenticate(header)
  const created = await auth.keys.create(
    { name: 'k', scopes: ['read', 'admin'], ...request },
    access,
  )
  return { ...created, header: `Bearer ${created.key}` }
}

const code = (name: string) => expect.objectContaining({ code: name })

test('a key knows who created it, and cannot create one with more scopes', async () => {
  const { auth } = await openAuth()
  const parent = await mint(auth, { name: 'parent' })
  const child = await mint(auth, { name: 'child', scopes: ['read'] }, parent.header)
  expect(child).toMatchObject({ createdBy: 'parent', parentId: parent.id })
  expect(parent).not.toHaveProperty('parentId')
  await expect(mint(auth, { scopes: ['read', 'prompt'] }, parent.header)).rejects.toMatchObject({
    status: 403,
    code: 'wrong_scope',
    extra: { missing: ['prompt'] },
  })
})

test('a key inherits restrictions and expiry, and cannot get a longer one or larger quotas', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const expiresAt = clock.now() + day
  const parent = await mint(auth, { projects: ['p'], expiresAt, maxSessions: 3 })
  expect(await mint(auth, {}, parent.header)).toMatchObject({
    projects: ['p'],
    sessions: [],
    expiresAt,
  })
  const narrow = await mint(auth, { sessions: ['s'], expiresAt: expiresAt - 1 }, parent.header)
  expect(narrow).toMatchObject({ sessions: ['s'], expiresAt: expiresAt - 1 })
  expect((await auth.authenticate(narrow.header)).range).toEqual({ projects: [], sessions: ['s'] })
  for (const excess of [{ expiresAt: expiresAt + 1 }, { maxSessions: 4 }])
    await expect(mint(auth, excess, parent.header)).rejects.toMatchObject({
      status: 403,
      code: 'key_limited',
    })
  await expect(mint(auth, { expiresAt: clock.now() })).rejects.toMatchObject({ status: 422 })
})

test('keys that create each other are refused where they would no longer work', async () => {
  const { auth } = await openAuth()
  let { header } = await mint(auth, {})
  for (let count = 1; count < 32; count += 1) header = (await mint(auth, {}, header)).header
  expect(await auth.authenticate(header)).toMatchObject({ actor: { kind: 'key' } })
  await expect(mint(auth, {}, header)).rejects.toMatchObject({ status: 403, code: 'key_limited' })
})

test('what a token creates ends with the token', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const { header } = await mint(auth, {})
  const { token, expiresAt } = await auth.issueToken({ access: await auth.authenticate(header) })
  expect(await mint(auth, {}, `Bearer ${token}`)).toMatchObject({ expiresAt })
})

test('keys end with the key that created them, and so do their streams', async () => {
  const { auth } = await openAuth()
  const parent = await mint(auth, {})
  const child = await mint(auth, {}, parent.header)
  const grandchild = await mint(auth, {}, child.header)
  const other = await mint(auth, {})
  const { signal } = await auth.authenticate(grandchild.header)
  await auth.keys.revoke(parent.id)
  expect(await endOf(signal)).toEqual(code('key_revoked'))
  for (const { header } of [parent, child, grandchild])
    await expect(auth.authenticate(header)).rejects.toMatchObject({ code: 'key_revoked' })
  await auth.authenticate(other.header)
  const revoked = (await auth.keys.list()).filter(({ revokedAt }) => revokedAt !== undefined)
  expect(revoked.map(({ id }) => id)).toEqual([parent.id, child.id, grandchild.id])
})

test('a key whose parent was revoked in the database alone is refused', async () => {
  const { auth, log } = await openAuth()
  const parent = await mint(auth, {})
  const child = await mint(auth, {}, parent.header)
  await log.keys.revoke(parent.id, 1)
  await expect(auth.authenticate(child.header)).rejects.toMatchObject({ code: 'key_revoked' })
})

test('an expired key is refused, with its children, its tokens and its streams', async () => {
  const clock = createClock()
  const { auth } = await openAuth({ now: clock.now })
  const parent = await mint(auth, { expiresAt: clock.now() + 50 })
  const child = await mint(auth, {}, parent.header)
  const access = await auth.authenticate(child.header)
  const { token } = await auth.issueToken({ access })
  const { signal } = access
  clock.move(50)
  expect(await endOf(signal)).toEqual(code('key_expired'))
  for (const header of [parent.header, child.header])
    await expect(auth.authenticate(header)).rejects.toMatchObject({
      status: 401,
      code: 'key_expired',
    })
  await expect(auth.authenticate(`Bearer ${token}`)).rejects.toMatchObject({ status: 401 })
})

test('a token has no scope that its key or a key above lacks', async () => {
  const { auth, log, secret } = await openAuth()
  const all: Scope[] = ['read', 'prompt', 'admin']
  const parent = await mint(auth, { scopes: all })
  const child = await mint(auth, { scopes: all }, parent.header)
  const { token } = await auth.issueToken({ access: await auth.authenticate(child.header) })
  const stored = await log.keys.get(parent.id)
  if (!stored) throw new Error('no key')
  // No call narrows a key, so this reads another record in its place.
  const narrowed = await openAuth({
    keys: {
      ...log.keys,
      get: async (id) => (id === parent.id ? { ...stored, scopes: ['read'] } : log.keys.get(id)),
    },
    secret,
  })
  for (const header of [child.header, `Bearer ${token}`])
    expect([...(await narrowed.auth.authenticate(header)).scopes]).toEqual(['read'])
})

test('a chain without a beginning is refused', async () => {
  const { auth, log } = await openAuth()
  const parent = await mint(auth, {})
  const child = await mint(auth, {}, parent.header)
  const stored = await log.keys.get(parent.id)
  if (!stored) throw new Error('no key')
  const circular = await openAuth({
    keys: {
      ...log.keys,
      get: async (id) => (id === parent.id ? { ...stored, parentId: child.id } : log.keys.get(id)),
    },
  })
  await expect(circular.auth.authenticate(child.header)).rejects.toMatchObject({
    code: 'token_invalid',
  })
})
