import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { historyLayouts } from '../../src/history/layouts.ts'
import { installedLiveAgents, liveAgents } from '../agents/live-agents.ts'
import { findBubblewrap } from '../support/bubblewrap.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'
import { type AgentNode, createHistoryRig, type HistoryRig } from './history-rig.ts'

// Agents of the tests find it there.
const { path, reason: noSandbox } = await findBubblewrap()
process.env.PATH = path
if (noSandbox !== undefined) console.log(`skipped: conversations in a sandbox: ${noSandbox}`)

const agents = installedLiveAgents().filter(
  ({ agent, isAdapter }) => agent.name in historyLayouts && !isAdapter,
)
const isPi = ({ title }: { title: string }): boolean => title === 'Pi 0.87'
const [pi] = liveAgents.filter(isPi)
if (!pi) throw new Error('There is no Pi.')

const untilGone = async ({ server }: AgentNode, name: string): Promise<void> => {
  const names = async () => (await server.client.nodes.list()).nodes.map((each) => each.name)
  await expect.poll(names, { timeout: 20_000 }).not.toContain(name)
}

const startTwo = (rig: HistoryRig, args?: readonly string[]): Promise<[AgentNode, AgentNode]> =>
  Promise.all([rig.start('one', { args }), rig.start('two', { args })])

describeWithNats('conversations that move between nodes', (nats) => {
  test.each(agents)('$title remembers after its node was killed', async (agent) => {
    const rig = await createHistoryRig(nats, agent)
    const [one, two] = await startTwo(rig)
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:tool the word is marmalade')
    await rig.untilStored(one, id)
    await one.server.stop('SIGKILL')
    await untilGone(two, 'one')
    const { request, notices } = await rig.prompt(two, id, 'scenario:text which word?')
    expect(request).toContain('marmalade')
    expect(notices).toContain(`${agent.agent.title} resumes from the history that node one stored.`)
  })

  const forkable = agents.filter(
    ({ agent, title }) => agent.capabilities.fork && title !== 'Pi 0.73',
  )
  test.each(forkable)('a fork of $title copies a conversation of a lost node', async (agent) => {
    const rig = await createHistoryRig(nats, agent)
    const [one, two] = await startTwo(rig)
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the first word is marmalade')
    const early = await one.server.client.sessions.fork(id)
    const late = await one.server.client.sessions.fork(id)
    await rig.prompt(one, early.id, 'scenario:text the second word is quince')
    await rig.untilStored(one, id)
    await rig.untilStored(one, early.id)
    await one.server.stop('SIGKILL')
    await untilGone(two, 'one')
    // One fork has a conversation of its own by now, and the other one copies that of its source.
    const copy = await rig.prompt(two, early.id, 'scenario:text which words?')
    expect(copy.request).toContain('marmalade')
    expect(copy.request).toContain('quince')
    const other = await rig.prompt(two, late.id, 'scenario:text which words?')
    expect(other.request).toContain('marmalade')
    expect(other.request).not.toContain('quince')
  })

  test('a run that was killed in the middle goes on from what was stored', async () => {
    const rig = await createHistoryRig(nats, pi)
    const [one, two] = await startTwo(rig)
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the word is marmalade')
    await rig.untilStored(one, id)
    await one.server.client.sessions.prompt(id, 'scenario:slow go')
    await expect.poll(() => rig.model.requests.at(-1)?.position?.scenario).toBe('slow')
    await one.server.stop('SIGKILL')
    const ends = async () => {
      const { events } = await two.server.client.sessions.events(id, { limit: 5000 })
      return events.filter(({ type }) => type === 'agent_end').length
    }
    // The other node closes the run.
    await expect.poll(ends, { timeout: 20_000 }).toBe(2)
    const { request } = await rig.prompt(two, id, 'scenario:text which word?')
    expect(request).toContain('marmalade')
  })

  test.skipIf(noSandbox !== undefined)(
    'an agent in a sandbox reads what was restored',
    async () => {
      const rig = await createHistoryRig(nats, pi)
      const [one, two] = await startTwo(rig, ['--history', '--sandbox', 'project'])
      const { id } = await rig.create(one)
      await rig.prompt(one, id, 'scenario:text the word is marmalade')
      await one.server.client.nodes.update('one', { state: 'draining' })
      const { request } = await rig.prompt(two, id, 'scenario:text which word?')
      expect(request).toContain('marmalade')
    },
  )

  test('a session without files says why its agent begins again', async () => {
    const rig = await createHistoryRig(nats, pi)
    const [one, two] = await Promise.all([rig.start('one', { args: [] }), rig.start('two')])
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the word is marmalade')
    await one.server.client.nodes.update('one', { state: 'draining' })
    const { notices } = await rig.prompt(two, id, 'scenario:text which word?')
    expect(notices[0]).toBe(
      'This node did not get the earlier conversation of Pi. No node has stored it.',
    )
  })

  test('without --history, the agent begins a new conversation, and the session says so', async () => {
    const rig = await createHistoryRig(nats, pi)
    const [one, two] = await startTwo(rig, [])
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the word is marmalade')
    await one.server.stop('SIGKILL')
    await untilGone(two, 'one')
    const { request, notices } = await rig.prompt(two, id, 'scenario:text which word?')
    expect(request).not.toContain('marmalade')
    expect(notices).toEqual([
      'The agent has no record of this conversation. It starts a new one, without the earlier messages.',
    ])
  })

  test('a conversation follows its session from a drained node, and back to that node', async () => {
    const rig = await createHistoryRig(nats, pi)
    const [one, two] = await startTwo(rig)
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the first word is marmalade')
    await one.server.client.nodes.update('one', { state: 'draining' })
    const second = await rig.prompt(two, id, 'scenario:text the second word is quince')
    expect(second.request).toContain('marmalade')
    // The file of node one is older now, and must not win.
    await one.server.client.nodes.update('one', { state: 'active' })
    await two.server.client.nodes.update('two', { state: 'draining' })
    const third = await rig.prompt(two, id, 'scenario:text which words?')
    expect(third.request).toContain('marmalade')
    expect(third.request).toContain('quince')
    expect(third.notices).toEqual(['Pi resumes from the history that node two stored.'])
    expect(one.files('pi/sessions/*/*')).toHaveLength(1)
  })

  test('a node that was killed comes back: what it had written alone is kept aside', async () => {
    const rig = await createHistoryRig(nats, pi)
    const [one, two] = await startTwo(rig)
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the first word is marmalade')
    await rig.untilStored(one, id)
    await one.server.stop('SIGKILL')
    const [path = ''] = one.files('pi/sessions/*/*.jsonl')
    const lost = `${JSON.stringify({ type: 'session_info', name: 'never stored' })}\n`
    appendFileSync(join(one.home, path), lost)
    await untilGone(two, 'one')
    await rig.prompt(two, id, 'scenario:text the second word is quince')
    const again = await rig.start('one', { like: one })
    await two.server.client.nodes.update('two', { state: 'draining' })
    const { request } = await rig.prompt(again, id, 'scenario:text which words?')
    expect(request).toContain('marmalade')
    expect(request).toContain('quince')
    const [kept = ''] = again.files('pi/sessions/*/*.kept')
    expect(readFileSync(join(again.home, kept), 'utf8')).toContain('never stored')
    expect(readFileSync(join(again.home, path), 'utf8')).not.toContain('never stored')
  })
})
