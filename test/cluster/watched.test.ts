import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHook } from '../hooks/hook-rig.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { createServerDirectories, type ServerProcess } from '../support/server-process.ts'
import { agentHome } from '../watch/home.ts'
import { createTestNodes, leaseSeconds, readSession, type TestNodes } from './start-nodes.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: nodes that watch agents: ${missing}`)

const recording = new URL(
  '../../recordings/claude-session-file/2.1.325/resume-chain.ndjson',
  import.meta.url,
)
/** Agents that have just worked are followed. */
const startedAt = new Date().toISOString()
const nativeId = '531a7146-4944-4d91-9171-1e9b871fc085'

/** A home directory in which Claude Code has worked in a project. */
const claudeHome = (projects: string, id = nativeId) => {
  const home = agentHome()
  const lines = readFileSync(recording, 'utf8')
    .replaceAll('/home/dev/My proj_x.y', projects)
    .replaceAll(nativeId, id)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, startedAt)
    .split(/(?<=\n)/)
  const file = join(home, '.claude/projects/-p', `${id}.jsonl`)
  mkdirSync(join(file, '..'), { recursive: true })
  mkdirSync(join(home, '.claude/sessions'))
  const program = join(home, 'claude')
  copyFileSync(spawnSync('which', ['sleep'], { encoding: 'utf8' }).stdout.trim(), program)
  let written = 0
  /** Writes the lines up to one. */
  const write = (to: number): void => {
    appendFileSync(file, lines.slice(written, to).join(''))
    written = to
  }
  return { home, lines, program, write }
}
type ClaudeHome = ReturnType<typeof claudeHome>

/** A process of Claude Code that works in the session, as its marker says. */
const startClaude = async (
  { home, program }: ClaudeHome,
  status = 'busy',
): Promise<ChildProcess> => {
  const child = spawn(program, ['300'], { stdio: 'ignore', cwd: home })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ')[1]?.split(' ')
  const marker = {
    ...{ pid: child.pid, sessionId: nativeId, cwd: home, startedAt: Date.now() },
    ...{ version: '2.1.325', procStart: stat?.[19], kind: 'interactive', status },
  }
  writeFileSync(join(home, '.claude/sessions', `${child.pid}.json`), JSON.stringify(marker))
  return child
}

const start = (nodes: TestNodes, name: string, { home, program }: ClaudeHome, data?: string) =>
  nodes.start(name, {
    ...{ watches: true, args: ['--lease', `${leaseSeconds}s`] },
    ...(data !== undefined && { data }),
    env: { PATH: process.env.PATH, HOME: home, CLAUDE_BIN: program },
  })

const watchedOf = async ({ client }: ServerProcess) => {
  const { sessions } = await client.sessions.list()
  return sessions.filter(({ watched }) => watched)
}

const onlyWatched = async (node: ServerProcess) => {
  await expect.poll(() => watchedOf(node), { timeout: 20_000 }).toHaveLength(1)
  const [found] = await watchedOf(node)
  if (!found) throw new Error('no session')
  return found
}

const presenceAt = async (node: ServerProcess) =>
  (await watchedOf(node))[0]?.watched?.presence?.state

const failure = (request: Promise<unknown>) =>
  request.then(
    () => 'it succeeded',
    ({ status, code, problem, retryAfter }) => ({ status, code, retryAfter, ...problem }),
  )

describe.skipIf(missing !== undefined)('nodes that watch agents in terminals', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  test('a session is continued through any node, and checked on the machine of its agent', async () => {
    const nodes = createTestNodes(nats)
    const here = claudeHome(nodes.projects)
    here.write(here.lines.length)
    const agent = await startClaude(here)
    const [one, two] = await Promise.all([
      start(nodes, 'one', here),
      start(nodes, 'two', claudeHome(nodes.projects, 'other')),
    ])
    const { id, watched } = await onlyWatched(two)
    expect(watched).toMatchObject({ node: 'one', nativeId })
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('working')
    // Two nodes agree, also after some time: only one of them looks at the process.
    expect(await failure(two.client.sessions.continue(id))).toMatchObject({
      ...{ status: 409, code: 'agent_running' },
    })
    // No person can confirm what the machine denies.
    for (const body of [{ confirmed: true }, { confirmed: true, lostNode: 'one' }])
      expect(await failure(two.client.sessions.continue(id, body))).not.toBe('it succeeded')
    const { key } = await two.client.keys.create({ name: 'r', scopes: ['read'] })
    const reader = createClient({ url: two.url, token: key })
    expect(await failure(reader.sessions.continue(id))).toMatchObject({ code: 'wrong_scope' })
    agent.kill('SIGKILL')
    await once(agent, 'exit')
    expect(await two.client.sessions.continue(id)).not.toHaveProperty('watched')
    expect(await one.client.sessions.get(id)).not.toHaveProperty('watched')
    expect(await failure(one.client.sessions.continue(id))).toMatchObject({ code: 'not_watched' })
  })

  test('when the node of a machine is lost, its questions expire and nobody continues unasked', async () => {
    const nodes = createTestNodes(nats)
    const here = claudeHome(nodes.projects)
    here.write(here.lines.length)
    await startClaude(here)
    const { data } = createServerDirectories()
    const one = await start(nodes, 'one', here, data)
    const two = await start(nodes, 'two', claudeHome(nodes.projects, 'other'))
    const { id } = await onlyWatched(two)
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('working')
    const input = {
      ...{ session_id: nativeId, cwd: nodes.projects, permission_mode: 'default' },
      transcript_path: `/nowhere/${nativeId}.jsonl`,
    }
    const call = { tool_name: 'Bash', tool_input: { command: 'touch x' } }
    const ask = () =>
      startHook({ data, input: { ...input, ...call, hook_event_name: 'PermissionRequest' } })
    const pending = async () => (await two.client.approvals.list())[0]?.approvalId ?? ''
    // The node of the other machine sends the answer to the hook.
    const first = ask()
    await expect.poll(pending).not.toBe('')
    await two.client.approvals.answer(await pending(), { action: 'allow' })
    expect(JSON.parse((await first.done).stdout)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'allow' } },
    })
    await expect.poll(pending).toBe('')
    const second = ask()
    await expect.poll(pending).not.toBe('')
    const approvalId = await pending()
    await one.stop('SIGKILL')
    // The hook ends at once: the agent asks in its terminal.
    expect((await second.done).stdout).toBe('')
    expect(
      await failure(two.client.approvals.answer(approvalId, { action: 'allow' })),
    ).toMatchObject({ status: 503, code: 'no_owner', retryAfter: expect.any(Number) })
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('unknown')
    expect(
      await failure(two.client.approvals.answer(approvalId, { action: 'allow' })),
    ).toMatchObject({ status: 410, state: 'expired' })
    for (const body of [{}, { confirmed: true }, { lostNode: 'three' }])
      expect(await failure(two.client.sessions.continue(id, body))).toMatchObject({
        ...{ status: 503, code: 'no_owner', state: 'machine_lost', node: 'one' },
        retryAfter: expect.any(Number),
      })
    // A key that does not see the session learns nothing of its node.
    const project = await two.client.projects.create({ name: 'p', path: nodes.projects })
    const { key } = await two.client.keys.create({
      ...{ name: 'restricted', scopes: ['read', 'prompt'], projects: [project.id] },
    })
    const restricted = createClient({ url: two.url, token: key })
    expect(await failure(restricted.sessions.continue(id))).toMatchObject({ status: 404 })
    // The node is back: its machine says that the agent works.
    const again = await start(nodes, 'one', here, data)
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('working')
    expect(await failure(two.client.sessions.continue(id, { lostNode: 'one' }))).toMatchObject({
      status: 422,
    })
    expect(await failure(two.client.sessions.continue(id))).toMatchObject({ code: 'agent_running' })
    await again.stop('SIGKILL')
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('unknown')
    // A person says that it is gone for good.
    expect(
      await two.client.sessions.continue(id, { lostNode: 'one', confirmed: true }),
    ).not.toHaveProperty('watched')
  })

  test('a node that was stopped past its lease reads on when it wakes', async () => {
    const nodes = createTestNodes(nats)
    const here = claudeHome(nodes.projects)
    here.write(8)
    await startClaude(here)
    const one = await start(nodes, 'one', here)
    const two = await start(nodes, 'two', claudeHome(nodes.projects, 'other'))
    const { id } = await onlyWatched(two)
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('working')
    const reader = readSession(two, id)
    one.child.kill('SIGSTOP')
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('unknown')
    const before = reader.events.length
    here.write(here.lines.length)
    one.child.kill('SIGCONT')
    await one.waitForStderr('has lost its lease')
    await reader.next('message_end', before)
    await expect.poll(() => presenceAt(two), { timeout: 20_000 }).toBe('working')
    reader.check()
  })

  test('of nodes that share the files of agents one reads, and another goes on when it is lost', async () => {
    const nodes = createTestNodes(nats)
    const shared = claudeHome(nodes.projects)
    shared.write(8)
    const [one, two] = await Promise.all([start(nodes, 'one', shared), start(nodes, 'two', shared)])
    const { id } = await onlyWatched(one)
    const reader = readSession(two, id)
    const size = async () => (await two.client.sessions.events(id, { limit: 5000 })).events.length
    const before = (await two.client.sessions.events(id)).events.length
    for (let line = 9; line <= 30; line += 1) {
      shared.write(line)
      await size()
    }
    await expect.poll(size, { timeout: 20_000 }).toBeGreaterThan(before)
    const { watched } = await onlyWatched(two)
    const [reading, other] = watched?.node === 'one' ? [one, two] : [two, one]
    // Only one has tried to write: the fence of the log has refused nothing.
    for (const { output } of [one, two]) expect(output.stderr).not.toContain('taken over session')
    if (reading === two) reader.stop()
    const after = readSession(other, id)
    await reading.stop('SIGKILL')
    shared.write(shared.lines.length)
    await expect
      .poll(async () => (await other.client.sessions.get(id)).watched?.node, { timeout: 30_000 })
      .toBe(other === one ? 'one' : 'two')
    // The whole file is there, each line once.
    const alone = createTestNodes(nats)
    const copy = claudeHome(alone.projects)
    copy.write(copy.lines.length)
    const three = await start(alone, 'three', copy)
    const expected = await onlyWatched(three)
    await expect.poll(async () => (await onlyWatched(three)).watched?.read).toBeDefined()
    const textsOf = async ({ client }: ServerProcess, sessionId: string) => {
      const { events } = await client.sessions.events(sessionId, { limit: 5000 })
      return events.flatMap((event) => (event.type === 'message_end' ? [event.message] : []))
    }
    const wanted = await textsOf(three, expected.id)
    await expect.poll(() => textsOf(other, id), { timeout: 30_000 }).toHaveLength(wanted.length)
    expect(JSON.stringify(await textsOf(other, id)).replaceAll(nodes.projects, '')).toBe(
      JSON.stringify(wanted).replaceAll(alone.projects, ''),
    )
    after.check()
  })
})
