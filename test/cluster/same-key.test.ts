import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { root } from '../support/sluice.ts'
import { agentHome } from '../watch/home.ts'
import { createTestNodes, leaseSeconds } from './start-nodes.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: requests with a key at several nodes: ${missing}`)

describe.skipIf(missing !== undefined)('a request with a key that several nodes get', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  const startTwo = async () => {
    const nodes = createTestNodes(nats)
    // Pi has no model here: that it refuses its prompt is a part of the response.
    const env = {
      PATH: process.env.PATH,
      HOME: agentHome(),
      PI_BIN: join(root, 'node_modules/.bin/pi'),
    }
    const options = { env, args: ['--lease', `${leaseSeconds}s`] }
    const [one, two] = await Promise.all([nodes.start('one', options), nodes.start('two', options)])
    const project = await one.client.projects.create({ name: 'p', path: nodes.projects })
    return { one, two, projectId: project.id, projects: nodes.projects }
  }

  /** Sends a request with a key, as any HTTP client does. */
  const send = async (
    node: ServerProcess,
    token: string,
    path: string,
    key: string,
    body: object,
  ) => {
    const response = await fetch(`${node.url}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        'Idempotency-Key': key,
      },
      body: JSON.stringify(body),
    })
    const isReplayed = response.headers.get('idempotency-replayed') === 'true'
    return { status: response.status, isReplayed, body: await response.json() }
  }

  test('runs once, and both get the same response, fifty times', async () => {
    const { one, two, projectId } = await startTwo()
    const { token } = one
    for (let round = 0; round < 50; round += 1) {
      const key = `k${round}`
      const body = { projectId, agent: 'demo', name: `n${round}` }
      const all = await Promise.all(
        [one, two].map((node) => send(node, token, 'sessions', key, body)),
      )
      expect(all.map(({ status }) => status)).toEqual([201, 201])
      expect(all[0]?.body).toEqual(all[1]?.body)
      expect(all.filter(({ isReplayed }) => isReplayed)).toHaveLength(1)
    }
    const { sessions } = await two.client.sessions.list({ limit: 100 })
    expect(sessions).toHaveLength(50)
    // A key belongs to one body, at every node.
    const other = { projectId, agent: 'demo', name: 'other' }
    for (const node of [one, two])
      expect(await send(node, token, 'sessions', 'k1', other)).toMatchObject({
        ...{ status: 422, body: { code: 'idempotency_mismatch' } },
      })
    // And to one sender.
    expect(await send(two, two.token, 'sessions', 'k1', other)).toMatchObject({ status: 201 })
    // What was refused has changed nothing, and can be sent again.
    const wrong = { projectId: 'none', agent: 'demo' }
    for (const node of [one, two, one])
      expect(await send(node, token, 'sessions', 'refused', wrong)).toMatchObject({ status: 404 })
    const right = { projectId, agent: 'demo' }
    expect(await send(two, token, 'sessions', 'refused', right)).toMatchObject({ status: 201 })
  })

  test('starts one loop and one comparison', async () => {
    const { one, two, projectId, projects } = await startTwo()
    const { token } = one
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
    for (const args of [
      ['init', '-q'],
      ['commit', '-q', '--allow-empty', '-m', 'first'],
    ])
      spawnSync('git', [...identity, ...args], { cwd: projects })
    const limits = { maxIterations: 1 }
    const loop = { projectId, agent: 'demo', prompt: 'think', limits }
    const loops = await Promise.all([one, two].map((node) => send(node, token, 'loops', 'l', loop)))
    expect(loops[0]).toMatchObject({ status: 201 })
    expect(loops[1]?.body).toEqual(loops[0]?.body)
    expect(await two.client.loops.list()).toHaveLength(1)
    expect((await send(two, token, 'loops', 'l', loop)).body).toEqual(loops[0]?.body)
    const compared = { projectId, agents: ['demo', 'pi'], prompt: 'think' }
    const comparisons = await Promise.all(
      [one, two].map((node) => send(node, token, 'comparisons', 'c', compared)),
    )
    expect(comparisons[0]).toMatchObject({ status: 201 })
    expect(comparisons[1]?.body).toEqual(comparisons[0]?.body)
    const { sessions } = await two.client.sessions.list({ limit: 100 })
    expect(sessions.filter(({ comparisonId }) => comparisonId !== undefined)).toHaveLength(2)
  })

  test('creates one session, although the node that runs it is killed, again and again', async () => {
    const nodes = createTestNodes(nats)
    const options = { args: ['--lease', `${leaseSeconds}s`] }
    const two = await nodes.start('two', options)
    const { token } = two
    const project = await two.client.projects.create({ name: 'p', path: nodes.projects })
    for (let round = 0; round < 4; round += 1) {
      const one = await nodes.start('one', options)
      const key = `killed${round}`
      const body = { projectId: project.id, agent: 'demo', name: key }
      const lost = send(one, token, 'sessions', key, body).catch(() => undefined)
      // At another moment each time: before, while and after it runs.
      for (let turn = 0; turn < round * 4; turn += 1) await fetch(`${two.url}/health`)
      await one.stop('SIGKILL')
      const first = await lost
      const repeated = await send(two, token, 'sessions', key, body)
      expect(repeated).toMatchObject({ status: 201, body: { name: key } })
      if (first?.status === 201) expect(repeated.body).toEqual(first.body)
      const { sessions } = await two.client.sessions.list({ limit: 100 })
      expect(sessions.filter(({ name }) => name === key)).toHaveLength(1)
    }
  })
})
