import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionInfo } from '../../src/api/types.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestNodes, readSession, type TestNodes } from './start-nodes.ts'

const missing = natsMissing()
if (missing !== undefined)
  console.log(`skipped: nodes that serve each other’s sessions: ${missing}`)

const startTwo = async (
  nodes: TestNodes,
  options: { args?: readonly string[]; pace?: number } = {},
): Promise<readonly [ServerProcess, ServerProcess, SessionInfo]> => {
  const { args = [], pace = 0 } = options
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
})
