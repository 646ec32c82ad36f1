import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SessionInfo } from '../../src/api/types.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { createServerDirectories, type ServerProcess } from '../support/server-process.ts'
import { createTestNodes, leaseSeconds, readSession, type TestNodes } from './start-nodes.ts'

const missing = natsMissing()
if (missing !== undefined)
  console.log(`skipped: nodes that serve each other’s sessions: ${missing}`)

const startTwo = async (
  nodes: TestNodes,
  options: { args?: readonly string[]; pace?: number; lease?: number } = {},
): Promise<readonly [ServerProcess, ServerProcess, SessionInfo]> => {
  const { pace = 0, lease = leaseSeconds } = options
  const args = [...(options.args ?? []), '--lease', `${lease}s`]
  const env = { ...process.env, SLUICE_DEMO_PACE: String(pace) }
  const [one, two] = await Promise.all([
    nodes.start('one', { args, env }),
    nodes.start('two', { args, env }),
  ])
  const project = await one.client.projects.create({ name: 'p', path: nodes.projects })
  const session = await one.client.sessions.create({ projectId: project.id, agent: 'demo' })
  return [one, two, session]
}

describe.skipIf(missing !== undefined)('nodes that serve each other’s sessions', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  test('a session of one node is read, prompted, approved and aborted through another', async () => {
    const [one, two, { id }] = await startTwo(createTestNodes(nats))
    // The session belongs to node one from the start.
    const here = readSession(one, id)
    const there = readSession(two, id)
    await one.client.sessions.prompt(id, 'tool')
    const { approvalId } = await there.next('approval_request')
    // Node two sends the decision to node one, where the agent waits.
    expect(await two.client.approvals.answer(approvalId, { action: 'allow' })).toMatchObject({
      outcome: 'answered',
    })
    await there.next('agent_end')
    const before = there.events.length
    expect(await two.client.sessions.prompt(id, 'tool')).toMatchObject({ outcome: 'accepted' })
    await there.next('approval_request', before)
    expect(await two.client.sessions.abort(id)).toMatchObject({ outcome: 'accepted' })
    const end = await there.next('agent_end', before)
    expect(end.stopReason).toBe('aborted')
    await here.next('agent_end', before)
    await expect.poll(() => here.events).toEqual(there.events)
    there.check()
  })

  test('a cursor of one node resumes at another exactly there', async () => {
    const [one, two, { id }] = await startTwo(createTestNodes(nats))
    const here = readSession(one, id)
    await one.client.sessions.prompt(id, 'think')
    await here.next('agent_end')
    const { events, cursor } = await one.client.sessions.events(id, { limit: 5 })
    const resumed = readSession(two, id, cursor)
    await resumed.next('agent_end')
    expect([...events, ...resumed.events]).toEqual(here.events)
    expect(await two.client.sessions.events(id)).toEqual(await one.client.sessions.events(id))
  })

  test('a prompt that is too large for a message of NATS reaches the other node', async () => {
    const [one, two, { id }] = await startTwo(createTestNodes(nats))
    const there = readSession(two, id)
    await one.client.sessions.prompt(id, 'think')
    await there.next('agent_end')
    const text = `think ${'é'.repeat(900_000)}`
    const before = there.events.length
    expect(await two.client.sessions.prompt(id, text)).toMatchObject({ outcome: 'accepted' })
    const { message } = await there.next('message_end', before)
    expect(JSON.stringify(message)).toContain(text)
  })

  test('a request with a key that is sent through two nodes runs once', async () => {
    const [one, two, { id }] = await startTwo(createTestNodes(nats), { pace: 2 })
    const reader = readSession(two, id)
    const clients = [one, two].map(({ url }) => createClient({ url, token: one.token }))
    const prompt = (client: Client) => client.sessions.prompt(id, 'think', { idempotencyKey: 'k1' })
    const answers = await Promise.all(clients.map(prompt))
    expect(answers[0]).toEqual(answers[1])
    await reader.next('agent_end')
    expect(await prompt(one.client)).toEqual(answers[0])
    expect(reader.events.filter(({ type }) => type === 'agent_start')).toHaveLength(1)
  })

  test('the run of a node that is killed is closed once, and the next prompt works', async () => {
    const [one, two, { id }] = await startTwo(createTestNodes(nats))
    const there = readSession(two, id)
    await one.client.sessions.prompt(id, 'tool')
    const { approvalId } = await there.next('approval_request')
    await one.stop('SIGKILL')
    // Until the lease has expired, nobody can run a command of the session.
    const refused = await fetch(`${two.url}/api/v1/sessions/${id}/prompt`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${two.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'think' }),
    })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe(String(leaseSeconds))
    expect(await refused.json()).toMatchObject({ code: 'no_owner', node: 'one' })
    const end = await there.next('agent_end')
    expect(end.stopReason).toBe('interrupted')
    expect(await there.next('error')).toMatchObject({ code: 'owner_lost' })
    expect(await there.next('approval_resolved')).toMatchObject({ approvalId })
    await expect(
      two.client.approvals.answer(approvalId, { action: 'allow' }),
    ).rejects.toMatchObject({ status: 410 })
    const before = there.events.length
    expect(await two.client.sessions.prompt(id, 'think')).toMatchObject({ outcome: 'accepted' })
    await there.next('agent_end', before)
    there.check()
    expect(there.events.filter(({ type }) => type === 'agent_end')).toHaveLength(2)
    expect(there.events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })

  test('a node that is killed and started again closes its runs itself', async () => {
    const nodes = createTestNodes(nats)
    const { data } = createServerDirectories()
    const one = await nodes.start('one', { data, args: ['--lease', '60s'] })
    const project = await one.client.projects.create({ name: 'p', path: nodes.projects })
    const { id } = await one.client.sessions.create({ projectId: project.id, agent: 'demo' })
    const before = readSession(one, id)
    await one.client.sessions.prompt(id, 'tool')
    await before.next('approval_request')
    before.stop()
    await one.stop('SIGKILL')
    // Long before its lease would have expired.
    const again = await nodes.start('one', { data, args: ['--lease', '60s'] })
    const after = readSession(again, id)
    await after.next('agent_end')
    expect(await after.next('error')).toMatchObject({ code: 'agent_exit' })
    const ended = after.events.length
    await again.client.sessions.prompt(id, 'think')
    await after.next('agent_end', ended)
    after.check()
  })

  test('a node that was stopped past its lease writes nothing when it wakes', async () => {
    const [one, two, { id }] = await startTwo(createTestNodes(nats), { pace: 40 })
    const there = readSession(two, id)
    await one.client.sessions.prompt(id, 'long')
    await there.next('message_update')
    one.child.kill('SIGSTOP')
    await there.next('agent_end')
    const closed = there.events.length
    one.child.kill('SIGCONT')
    await one.waitForStderr('has lost its lease')
    // Its agent was stopped, and the session runs on the other node from now on.
    expect(await one.client.sessions.prompt(id, 'think')).toMatchObject({ outcome: 'accepted' })
    await there.next('agent_end', closed)
    there.check()
    const ends = there.events.filter(({ type }) => type === 'agent_end')
    expect(ends.map((each) => ('stopReason' in each ? each.stopReason : ''))).toEqual([
      'interrupted',
      expect.not.stringContaining('interrupted'),
    ])
    const stored = await two.client.sessions.events(id, { limit: 5000 })
    expect(stored.events).toEqual(there.events)
  })

  test('a loop is continued by another node when its node is killed', async () => {
    const [one, two, { projectId = '' }] = await startTwo(createTestNodes(nats), { pace: 60 })
    const limits = { maxIterations: 3 }
    const wanted = { projectId, agent: 'demo', prompt: 'think', limits }
    const { id } = await one.client.loops.create(wanted)
    const loop = () => two.client.loops.get(id)
    await expect.poll(loop).toMatchObject({ iterationCount: 1 })
    await one.stop('SIGKILL')
    await expect.poll(loop, { timeout: 60_000 }).toMatchObject({
      ...{ state: 'done', iterationCount: 3, end: { reason: 'max_iterations' } },
    })
    const { sessions } = await two.client.sessions.list()
    expect(sessions.filter(({ loopId }) => loopId === id)).toHaveLength(3)
  })

  test('a node that is drained releases its sessions, and lets its runs finish', async () => {
    const [one, two, { id, projectId = '' }] = await startTwo(createTestNodes(nats))
    const create = () => one.client.sessions.create({ projectId, agent: 'demo' })
    const busy = readSession(two, id)
    await one.client.sessions.prompt(id, 'tool')
    const { approvalId } = await busy.next('approval_request')
    const sessionsOf = async (name: string) => {
      const { nodes } = await two.client.nodes.list()
      return nodes.find((each) => each.name === name)
    }
    expect(await two.client.nodes.update('one', { state: 'draining' })).toMatchObject({
      ...{ name: 'one', state: 'draining', sessions: 1 },
    })
    // New sessions go elsewhere, also when node one is asked.
    const fresh = await create()
    const reader = readSession(one, fresh.id)
    await one.client.sessions.prompt(fresh.id, 'think')
    await reader.next('agent_end')
    await expect.poll(() => sessionsOf('two')).toMatchObject({ state: 'active', sessions: 1 })
    await expect.poll(() => sessionsOf('one')).toMatchObject({ state: 'draining', sessions: 1 })
    // The run goes on. When it is over, its session is released, too.
    await one.client.approvals.answer(approvalId, { action: 'allow' })
    await busy.next('agent_end')
    await expect.poll(() => sessionsOf('one')).toMatchObject({ state: 'draining', sessions: 0 })
    const before = busy.events.length
    await one.client.sessions.prompt(id, 'think')
    await busy.next('agent_end', before)
    busy.check()
    await expect(one.client.nodes.update('three', { state: 'draining' })).rejects.toMatchObject({
      code: 'unknown_node',
    })
  })
})

describe.skipIf(missing !== undefined)('a draining node', () => {
  test('lets a session go between two runs, also when the next prompt comes at once', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const [one, two, { id }] = await startTwo(createTestNodes(nats), { lease: 60 })
    const reader = readSession(two, id)
    await one.client.sessions.prompt(id, 'tool')
    const { approvalId } = await reader.next('approval_request')
    await two.client.nodes.update('one', { state: 'draining' })
    await one.client.approvals.answer(approvalId, { action: 'allow' })
    await reader.next('agent_end')
    // The next look at what can leave is 12 seconds away, so these prompts let go of the session.
    const ownedByTwo = async (): Promise<string | undefined> => {
      const headers = { Authorization: `Bearer ${two.token}` }
      const metrics = await (await fetch(`${two.url}/metrics`, { headers })).text()
      return /^sluice_node_owned_sessions\{node="two"\} (.*)$/m.exec(metrics)?.[1]
    }
    expect(await ownedByTwo()).toBe('0')
    for (const node of [two, one]) {
      const before = reader.events.length
      await node.client.sessions.prompt(id, 'think')
      await reader.next('agent_end', before)
    }
    await expect.poll(ownedByTwo, { timeout: 5000 }).toBe('1')
    reader.check()
  })
})

describe.skipIf(missing !== undefined)('three NATS servers', () => {
  test('readers at another node get every event although the leader of the stream is killed', async () => {
    const nats = await startNats(3)
    onTestFinished(() => nats.stop())
    const [one, two, { id }] = await startTwo(createTestNodes(nats), { pace: 15, lease: 15 })
    const there = readSession(two, id)
    await one.client.sessions.prompt(id, 'long')
    await there.next('message_update')
    const connection = await connect({ servers: [...nats.urls] })
    const manager = await jetstreamManager(connection, { checkAPI: false })
    for await (const stream of manager.streams.list()) {
      if (!stream.config.name.endsWith('_events')) continue
      const leader = nats.servers.find(({ name }) => name === stream.cluster?.leader)
      await leader?.signal('SIGKILL')
    }
    await connection.close()
    await there.next('agent_end')
    there.check()
    const stored = await two.client.sessions.events(id, { limit: 5000 })
    expect(there.events).toEqual(stored.events)
  })
})
