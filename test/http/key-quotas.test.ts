import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NewKey, Scope } from '../../src/api/types.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { createKeyQuotas } from '../../src/http/key-quotas.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { events, session } from '../log/samples.ts'
import { eventually } from '../support/eventually.ts'
import { type LocalServer, startLocalServer, waitForRunEnd } from '../support/local-server.ts'

let server: LocalServer
let projectId: string
beforeAll(async () => {
  server = await startLocalServer()
  projectId = (await server.createDemoSession()).project.id
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const addKey = async (quotas: Partial<NewKey>, creator: Client = server.client) => {
  const { key } = await creator.keys.create({
    name: 'limited',
    scopes: ['read', 'prompt', 'admin'],
    ...quotas,
  })
  return { key, client: createClient({ url: server.url, token: key }) }
}

const createSession = ({ sessions }: Client) => sessions.create({ projectId, agent: 'demo' })

test('a key has no more sessions than its quota, also through keys that it creates', async () => {
  const { client } = await addKey({ maxSessions: 2 })
  const first = await createSession(client)
  const child = await addKey({}, client)
  await createSession(child.client)
  for (const each of [client, child.client])
    await expect(createSession(each)).rejects.toMatchObject({ status: 429, code: 'quota_exceeded' })
  await client.sessions.remove(first.id)
  // Two at once: one of them gets the place that is left.
  const both = await Promise.allSettled([createSession(client), createSession(child.client)])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await createSession(server.client)
})

test('a key has no more open streams than its quota, also through keys that it creates', async () => {
  const { client, key } = await addKey({ maxStreams: 1 })
  const child = await addKey({}, client)
  const open = (token: string) => server.api('/stream', { token })
  const first = await open(key)
  expect(first.status).toBe(200)
  for (const token of [key, child.key]) {
    const refused = await open(token)
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'quota_exceeded' }])
  }
  await first.body?.cancel()
  const again = await eventually(async () => {
    const response = await open(child.key)
    expect(response.status).toBe(200)
    return response
  })
  await again.body?.cancel()
})

test('events that arrive while a session is measured count once', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s', { creatorId: 'k' }))
  await log.append('s', events('s', 1, 3))
  const arriving = events('s', 4, 3)
  const growing = {
    ...log,
    async head(id: string) {
      const head = await log.head(id)
      if (arriving.length > 0) await log.append(id, arriving.splice(0))
      return head
    },
  }
  const maxDiskBytes = (await log.eventBytes('s', 0, 3)) * 2 + 100
  const key = { id: 'k', name: 'k', hash: '', scopes: [], createdAt: 0, maxDiskBytes }
  const { signal } = new AbortController()
  const actor = { kind: 'key', id: 'k', name: 'k' } as const
  const access = { actor, scopes: new Set<Scope>(), keys: [key], signal }
  const quotas = createKeyQuotas(growing)
  for (const _ of [1, 2, 3]) await quotas.checkDisk(access)
})

test('a key whose sessions fill its share of the disk sends nothing more', async () => {
  const { client } = await addKey({ maxDiskBytes: 20_000 })
  const { id } = await createSession(client)
  const images = [{ data: Buffer.alloc(300_000).toString('base64'), mimeType: 'image/png' }]
  await client.sessions.prompt(id, { text: 'think', images })
  await waitForRunEnd(server, id)
  const refused = { status: 507, code: 'disk_quota_exceeded' }
  await expect(client.sessions.prompt(id, 'more')).rejects.toMatchObject(refused)
  await expect(createSession(client)).rejects.toMatchObject(refused)
  // The owner of the server has no quota.
  expect(await server.client.sessions.prompt(id, 'think')).toMatchObject({ outcome: 'accepted' })
})
