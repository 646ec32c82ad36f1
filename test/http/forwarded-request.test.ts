import { expect, test } from 'vitest'
import { endpoints } from '../../src/http/endpoints.ts'
import { forwardedRequest } from '../../src/http/forwarded-request.ts'
import { requestFromNode } from '../../src/http/forwarding.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { key } from '../log/samples.ts'

const { method, path: endpoint } = endpoints.continueSession
const forwarded = (scopes: readonly string[], more: object = {}) =>
  forwardedRequest.parse({
    ...{ method, endpoint, path: '/sessions/s/continue', params: { id: 's' }, query: {} },
    ...{ headers: {}, body: '{}' },
    access: { actor: { kind: 'key', id: 'k', name: 'k' }, scopes, keyId: 'k', keys: ['k'] },
    ...more,
  })

const logWith = async (scopes: readonly string[]) => {
  const log = await openMemoryLog()
  await log.keys.create({ ...key('k'), scopes: [...scopes] })
  return log
}

test('a request of another node has the rights that its key has now', async () => {
  const log = await logWith(['read', 'prompt'])
  const { access } = await requestFromNode({ log }, forwarded(['read', 'prompt', 'approve', 'fly']))
  expect([...access.scopes]).toEqual(['read', 'prompt'])
  await log.keys.revoke('k', 1)
  await expect(requestFromNode({ log }, forwarded(['prompt']))).rejects.toMatchObject({
    ...{ status: 401, code: 'key_revoked' },
  })
  const none = await openMemoryLog()
  await expect(requestFromNode({ log: none }, forwarded(['prompt']))).rejects.toMatchObject({
    status: 401,
  })
})

test('a request of another node needs the scope of its endpoint', async () => {
  const log = await logWith(['read'])
  for (const scopes of [['read'], ['read', 'prompt']])
    await expect(requestFromNode({ log }, forwarded(scopes))).rejects.toMatchObject({
      ...{ status: 403, code: 'wrong_scope' },
    })
})

test('what another version sends besides is ignored, and a path that is not known is refused', async () => {
  const log = await logWith(['prompt'])
  const request = forwarded(['prompt'], { since: 'version 9', extra: { a: 1 } })
  expect(request).not.toHaveProperty('extra')
  expect(await requestFromNode({ log }, request)).toMatchObject({ params: { id: 's' } })
  const unknown = forwarded(['prompt'], { endpoint: '/sessions/:id/teleport' })
  await expect(requestFromNode({ log }, unknown)).rejects.toMatchObject({ status: 404 })
})
