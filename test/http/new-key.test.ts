import { expect, test, vi } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startMemoryServer } from '../support/memory-server.ts'

test('a key is revoked that is not in the list of this node yet', async () => {
  const { log, port, key } = await startMemoryServer()
  const client = createClient({ url: `http://127.0.0.1:${port}/`, token: key })
  const { id } = await client.keys.create({ name: 'new', scopes: ['read'] })
  // As on a node whose copy of the records is behind: it follows what is looked up.
  const { list, get } = log.keys
  let isBehind = true
  vi.spyOn(log.keys, 'get').mockImplementation(async (wanted) => {
    if (wanted === id) isBehind = false
    return get(wanted)
  })
  vi.spyOn(log.keys, 'list').mockImplementation(async () =>
    (await list()).filter((each) => !isBehind || each.id !== id),
  )
  await client.keys.revoke(id)
  expect((await list()).find((each) => each.id === id)).toHaveProperty('revokedAt')
  await expect(client.keys.revoke('another')).rejects.toMatchObject({ code: 'unknown_key' })
})
