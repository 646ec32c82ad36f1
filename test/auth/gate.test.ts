import { expect, test } from 'vitest'
import { createGate, demand, type RequestCredentials } from '../../src/auth/gate.ts'
import { createLimits, type LimitOptions } from '../../src/auth/limits/limits.ts'
import { createOrigins } from '../../src/auth/origins.ts'
import { addKey, openAuth } from './samples.ts'

const open = async (options: LimitOptions = {}, isRequired = true) => {
  const { auth } = await openAuth({ isRequired })
  const gate = createGate({
    auth,
    origins: createOrigins({ host: '127.0.0.1' }),
    limits: createLimits(options),
  })
  return { auth, gate }
}
const knock = (
  authorization?: string,
  more: Partial<RequestCredentials> = {},
): RequestCredentials => ({
  host: '127.0.0.1:3000',
  origin: undefined,
  authorization,
  remoteAddress: '127.0.0.1',
  ...more,
})

test('lets in whoever shows a key with the scope', async () => {
  const { auth, gate } = await open()
  const { header, id } = await addKey(auth, ['read'])
  expect(await gate.enter(knock(header))).toMatchObject({ keyId: id })
  expect(await gate.enter(knock(header), 'read')).toMatchObject({ keyId: id })
  await expect(gate.enter(knock(header), 'admin')).rejects.toMatchObject({
    status: 403,
    code: 'wrong_scope',
    extra: { needed: 'admin' },
  })
  expect(() => demand({ scopes: new Set(), signal: AbortSignal.abort() }, 'read')).toThrow(/read/)
})

test('a foreign page learns nothing of the token, not even with a right one', async () => {
  const { auth, gate } = await open()
  const { header } = await addKey(auth)
  for (const authorization of [undefined, header, 'Bearer wrong']) {
    const foreign = knock(authorization, { host: 'evil.example:3000' })
    await expect(gate.enter(foreign)).rejects.toMatchObject({ code: 'foreign_host' })
    const cross = knock(authorization, { origin: 'http://evil.example' })
    await expect(gate.enter(cross)).rejects.toMatchObject({ code: 'foreign_origin' })
    expect(() => gate.look(foreign)).toThrow(expect.objectContaining({ code: 'foreign_host' }))
  }
  gate.look(knock())
})

test('wrong tokens are counted by address, and hold up nobody with a right one', async () => {
  const { auth, gate } = await open({ refusals: { burst: 2, perSecond: 1 } })
  const { header } = await addKey(auth)
  const codes: unknown[] = []
  for (let time = 0; time < 4; time += 1)
    await gate.enter(knock('Bearer wrong')).catch(({ code }) => codes.push(code))
  expect(codes).toEqual(['token_invalid', 'token_invalid', 'rate_limited', 'rate_limited'])
  await expect(gate.enter(knock(header))).resolves.toBeDefined()
  const elsewhere = gate.enter(knock('Bearer wrong', { remoteAddress: '10.0.0.1' }))
  await expect(elsewhere).rejects.toMatchObject({ code: 'token_invalid' })
})

test('requests are counted by key, with the tokens issued from it', async () => {
  const { auth, gate } = await open({ requests: { burst: 3, perSecond: 0.001 } })
  const [one, other] = [await addKey(auth), await addKey(auth)]
  const { token } = await auth.issue({ access: await gate.enter(knock(one.header)) })
  await gate.enter(knock(`Bearer ${token}`))
  await gate.enter(knock(`Bearer ${token}`, { remoteAddress: '10.0.0.1' }))
  await expect(gate.enter(knock(one.header))).rejects.toMatchObject({
    status: 429,
    code: 'rate_limited',
  })
  await gate.enter(knock(other.header))
})

test('and by address where no token is needed', async () => {
  const { gate } = await open({ requests: { burst: 1, perSecond: 0.001 } }, false)
  await gate.enter(knock(), 'admin')
  await expect(gate.enter(knock())).rejects.toMatchObject({ code: 'rate_limited' })
  await gate.enter(knock(undefined, { remoteAddress: '10.0.0.1' }))
})
