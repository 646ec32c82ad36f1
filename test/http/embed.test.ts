import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import {
  createAuth,
  createServer,
  createStreams,
  createTurnDiffs,
  createTurnStarts,
  openMemoryLog,
  openSessions,
} from '../../src/http/index.ts'
import { waitForRunEnd } from '../support/local-server.ts'
import { startMemoryServer } from '../support/memory-server.ts'

test('a program can embed the server, with its own agents and policy', async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-embed-')))
  const failures: unknown[] = []
  const onError = (cause: unknown) => void failures.push(cause)
  const log = await openMemoryLog()
  const streams = createStreams({ log, onError: onError })
  const turnDiffs = createTurnDiffs({ directory: join(directory, 'turns'), log, onError })
  const turnStarts = createTurnStarts({ log, turnDiffs, onError })
  const sessions = await openSessions({
    log,
    findProgram: () => process.execPath,
    env: { ...process.env, SLUICE_DEMO_PACE: '0' },
    policy: 'allow',
    onSession: streams.publishLifecycle,
    publish(event) {
      turnStarts.onEvent(event)
      streams.publish(event)
    },
  })
  const auth = createAuth({ ...log, serverId: 'embed' })
  const server = createServer({
    log,
    streams,
    auth,
    openAgents: () => ({
      sessions,
      turnDiffs,
      turnStarts,
      agents: { list: async () => [], isInstalled: (name) => name === 'demo' },
    }),
    host: '127.0.0.1',
    roots: [directory],
    version: '1.2.3',
    onError,
  })
  const url = `http://127.0.0.1:${await server.listen(0)}`
  const { key: token } = await auth.keys.create({
    name: 'k',
    scopes: ['read', 'prompt', 'approve', 'admin'],
  })
  const client = createClient({ url, token })
  expect(await client.health()).toMatchObject({ version: '1.2.3' })
  const project = await client.projects.create({ name: 'P', path: directory })
  const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
  await client.sessions.prompt(id, 'approve')
  await waitForRunEnd({ client }, id)

  await sessions.close()
  await Promise.all([server.close(), streams.close()])
  await turnDiffs.close()
  auth.close()
  await log.close()
  rmSync(directory, { recursive: true, force: true })
  expect(failures).toEqual([])
})

test('when opening the agents fails, the next request tries again', async () => {
  const reported: unknown[] = []
  const full = new Error('no space left')
  let isFull = true
  const { url } = await startMemoryServer({
    beforeAgents() {
      if (isFull) throw full
    },
    onError: (cause) => void reported.push(cause),
  })
  expect((await fetch(`${url}/health`)).status).toBe(500)
  expect(reported).toEqual([full])
  isFull = false
  expect((await fetch(`${url}/health`)).status).toBe(200)
})
