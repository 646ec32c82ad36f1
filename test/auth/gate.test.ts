import { expect, test } from 'vitest'
import { createGate, type RequestCredentials } from '../../src/auth/gate.ts'
import { createLimits, type LimitOptions } from '../../src/auth/limits/limits.ts'
import { createOrigins } from '../../src/auth/origins.ts'
import { addKey, openAuth, serverId } from './samples.ts'

const open = async (options: LimitOptions = {}, isRequired = true) => {
  const { auth } = await openAuth({ isRequired })
  const gate = createGate({
    auth,
    origins: createOrigins({ host: '127.0.0.1' }),
    limits: createLimits(options),
  })
  return { auth, gate }
}
const credentials = (
  authorization?: string,
  more: Partial<RequestCredentials> = {},
): RequestCredentials => ({
  method: 'GET',
  host: '127.0.0.1:3000',
  origin: undefined,
  fetchSite: undefined,
  authorization,
  cookie: undefined,
  pageKey: undefined,
  remoteAddress: '127.0.0.1',
  ...more,
})

test('a key is authorized when it has the scope', async () => {
  const { auth, gate } = await open()
  const { header, id } = await addKey(auth, ['read'])
  expect(await gate.authorize(credentials(header), 'any')).toMatchObject({ keyId: id })
  expect(await gate.authorize(credentials(header), 'read')).toMatchObject({ keyId: id })
  await expect(gate.authorize(credentials(header), 'admin')).rejects.toMatchObject({
    status: 403,
    code: 'wrong_scope',
    extra: { needed: 'admin' },
  })
})

test('host and origin are checked before the token, even when the token is valid', async () => {
  const { auth, gate } = await open()
  const { header } = await addKey(auth)
  for (const authorization of [undefined, header, 'Bearer wrong']) {
    const foreign = credentials(authorization, { host: 'evil.example:3000' })
    await expect(gate.authorize(foreign, 'any')).rejects.toMatchObject({ code: 'foreign_host' })
    const cross = credentials(authorization, { origin: 'http://evil.example' })
    await expect(gate.authorize(cross, 'any')).rejects.toMatchObject({ code: 'foreign_origin' })
    expect(() => gate.checkOrigin(foreign)).toThrow(
      expect.objectContaining({ code: 'foreign_host' }),
    )
  }
  gate.checkOrigin(credentials())
})

test('wrong tokens are limited by address, without delaying valid ones', async () => {
  const { auth, gate } = await open({ refusals: { burst: 2, perSecond: 1 } })
  const { header } = await addKey(auth)
  const codes: unknown[] = []
  for (let time = 0; time < 4; time += 1)
    await gate.authorize(credentials('Bearer wrong'), 'any').catch(({ code }) => codes.push(code))
  expect(codes).toEqual(['token_invalid', 'token_invalid', 'rate_limited', 'rate_limited'])
  await expect(gate.authorize(credentials(header), 'any')).resolves.toBeDefined()
  const elsewhere = gate.authorize(
    credentials('Bearer wrong', { remoteAddress: '10.0.0.1' }),
    'any',
  )
  await expect(elsewhere).rejects.toMatchObject({ code: 'token_invalid' })
})

test('requests are limited by key, including tokens issued from it', async () => {
  const { auth, gate } = await open({ requests: { burst: 3, perSecond: 0.001 } })
  const [one, other] = [await addKey(auth), await addKey(auth)]
  const { token } = await auth.issueToken({
    access: await gate.authorize(credentials(one.header), 'any'),
  })
  await gate.authorize(credentials(`Bearer ${token}`), 'any')
  await gate.authorize(credentials(`Bearer ${token}`, { remoteAddress: '10.0.0.1' }), 'any')
  await expect(gate.authorize(credentials(one.header), 'any')).rejects.toMatchObject({
    status: 429,
    code: 'rate_limited',
  })
  await gate.authorize(credentials(other.header), 'any')
})

test('requests are limited by address when no token is required', async () => {
  const { gate } = await open({ requests: { burst: 1, perSecond: 0.001 } }, false)
  await gate.authorize(credentials(), 'admin')
  await expect(gate.authorize(credentials(), 'any')).rejects.toMatchObject({ code: 'rate_limited' })
  await gate.authorize(credentials(undefined, { remoteAddress: '10.0.0.1' }), 'any')
})

test('a page that has no key yet is no failed sign-in', async () => {
  const { auth } = await openAuth({ isRequired: true })
  const recorded: string[] = []
  const gate = createGate({
    auth,
    origins: createOrigins({ host: '127.0.0.1' }),
    limits: createLimits({}),
    recordAction: ({ action }) => void recorded.push(action),
  })
  const cookie = `sluice-${serverId}=${'0'.repeat(16)}.${'A'.repeat(43)}`
  const send = (pageKey: string | undefined) =>
    expect(
      gate.authorize(credentials(undefined, { cookie, fetchSite: 'same-origin', pageKey }), 'read'),
    ).rejects.toMatchObject({ code: 'browser_signed_out' })
  await send(undefined)
  await send('')
  expect(recorded).toEqual([])
  await send('wrong')
  expect(recorded).toEqual(['sign_in_failed'])
})
