import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAgentSource } from '../../src/agent-config/agent-source.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { openSluice } from '../../src/sluice/sluice.ts'
import { projectReaders } from '../../src/trust/project-readers.ts'
import { createTrustedProjects } from '../../src/trust/trusted-projects.ts'
import { eventually } from '../support/eventually.ts'
import { root } from '../support/sluice.ts'

let directory: string
let data: string
let project: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-agents-'))
  data = join(directory, 'data')
  project = join(directory, 'project')
  mkdirSync(data)
  mkdirSync(project)
})
afterEach(() => rmSync(directory, { recursive: true }))

const write = (path: string, content: unknown, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode })
}
const agentsFile = (...agents: object[]) => ({ agents })
const own = () => join(data, 'agents.json')
const namesOf = (agents: readonly { name: string; origin?: string }[]) =>
  agents.flatMap(({ name, origin }) => (origin === undefined ? [] : [`${name} (${origin})`]))

describe('agents.json of the data directory', () => {
  const list = () => createAgentSource({ data, env: { PATH: '' } }).list()

  test('adds its agents, with paths from the file on', async () => {
    const command = ['./bin/mine', 'acp']
    write(own(), agentsFile({ name: 'mine', title: 'Mine', command, env: { A: '1' } }))
    const { agents, problems } = await list()
    expect(problems).toEqual([])
    expect(namesOf(agents)).toEqual(['mine (user)'])
    expect(agents.at(-1)).toMatchObject({
      title: 'Mine',
      program: join(data, 'bin/mine'),
      setEnv: { A: '1' },
    })
  })

  test('is read again each time, and need not exist', async () => {
    const source = createAgentSource({ data, env: { PATH: '' } })
    expect(await source.list()).toMatchObject({ problems: [] })
    await expect(source.find('mine')).rejects.toMatchObject({ code: 'agent_not_found' })
    write(own(), agentsFile({ name: 'mine', command: ['mine'] }))
    expect(await source.find('mine')).toMatchObject({ name: 'mine', title: 'mine' })
  })

  test.each([
    ['{ agents', 'JSON'],
    ['[]', 'expected object'],
    [agentsFile({ name: 'mine' }), 'agents[0].command'],
    [agentsFile({ name: 'mine', command: [] }), 'agents[0].command'],
    [agentsFile({ name: 'My agent', command: ['mine'] }), 'agents[0].name'],
    [agentsFile({ name: 'mine', command: ['mine'], comand: 1 }), 'comand'],
    [agentsFile({ name: 'mine', command: ['mine'], env: { 'a b': '' } }), 'agents[0].env'],
    [agentsFile({ name: 'mine', command: ['mine'], env: { A: 'a\0b' } }), 'agents[0].env.A'],
  ])('that is wrong is a problem with its reason: %j', async (content, reason) => {
    write(own(), content)
    const { agents, problems } = await list()
    expect(namesOf(agents)).toEqual([])
    expect(problems).toEqual([expect.stringContaining(reason)])
    expect(problems[0]).toContain(own())
  })

  test('that is wrong is named when one of its agents is not found', async () => {
    write(own(), agentsFile({ name: 'mine', command: 'mine acp' }))
    await expect(createAgentSource({ data }).find('mine')).rejects.toThrow(
      `The agents in ${own()} cannot be used: agents[0].command: give a list with the program`,
    )
  })

  test('cannot replace an agent, nor name one twice', async () => {
    const mine = { name: 'mine', command: ['mine'] }
    write(own(), agentsFile({ name: 'claude', command: ['evil'] }, mine, mine))
    const { agents, problems } = await list()
    expect(namesOf(agents)).toEqual(['mine (user)'])
    expect(problems).toEqual([
      'There is another agent “claude”, so that of agents.json is not used.',
      'There is another agent “mine”, so that of agents.json is not used.',
    ])
  })
})

test('presets are listed where their program is installed', async () => {
  write(join(directory, 'bin/goose'), '#!/bin/sh\n', 0o755)
  const source = createAgentSource({ data, env: { PATH: join(directory, 'bin') } })
  expect(namesOf((await source.list()).agents)).toEqual(['goose (preset)'])
  // By its name it is found all the same, so that the error can say how to install it.
  const cursor = await source.find('cursor')
  expect(cursor).toMatchObject({ program: 'cursor-agent', install: 'https://cursor.com/cli' })
  expect((await cursor.load()).live?.args({ extra: ['--x'] })).toEqual(['acp', '--x'])
  write(own(), agentsFile({ name: 'goose', command: ['my-goose'] }))
  expect(namesOf((await source.list()).agents)).toEqual(['goose (user)'])
})

describe.each(['.sluice/agents.json', 'agents.json'])('%s of a project', (file) => {
  test('counts after a person trusts the project, until it changes', async () => {
    const log = await openMemoryLog()
    const trust = createTrustedProjects({ log, agents: projectReaders })
    const source = createAgentSource({ data, look: trust.look, env: { PATH: '' } })
    write(join(project, file), agentsFile({ name: 'theirs', command: ['./theirs'] }))
    const before = await source.list(project)
    expect(namesOf(before.agents)).toEqual([])
    expect(before.problems).toEqual([expect.stringContaining('(theirs)')])
    const refused = { code: 'project_not_trusted' }
    await expect(source.find('theirs', project)).rejects.toMatchObject(refused)

    const { path, hash = '' } = await trust.look(project)
    await trust.decide({ path, hash, trusted: true }, 'Ann')
    expect(await source.list(project)).toMatchObject({ problems: [] })
    const program = join(dirname(join(project, file)), 'theirs')
    expect(await source.find('theirs', project)).toMatchObject({ origin: 'project', program })
    await expect(source.find('theirs')).rejects.toMatchObject({ code: 'agent_not_found' })

    write(join(project, file), agentsFile({ name: 'theirs', command: ['./other'] }))
    await expect(source.find('theirs', project)).rejects.toMatchObject(refused)
  })
})

test('a session with a configured agent runs over ACP, and its events have its name', async () => {
  const command = [process.execPath, join(root, 'test/support/acp-agent.js'), 'one', 'two']
  write(own(), agentsFile({ name: 'mine', title: 'Mine', command, env: { MINE: 'set' } }))
  const events: StampedEvent[] = []
  const sluice = await openSluice({
    ...{ data, sandbox: 'off', policy: 'allow' },
    onEvent: (event) => events.push(event),
  })
  try {
    const { session } = await sluice.sessions.create({ agent: 'mine', cwd: project })
    for (const [index, text] of ['args', 'env MINE', 'ask'].entries()) {
      expect(await session.prompt(text)).toEqual({ outcome: 'accepted' })
      const ends = () => events.filter(({ type }) => type === 'agent_end')
      await eventually(() => expect(ends()).toHaveLength(index + 1))
    }
  } finally {
    await sluice.close()
  }
  const texts = events.flatMap((event) =>
    event.type === 'message_end' && event.message.role === 'assistant'
      ? event.message.content.flatMap((block) => ('text' in block ? [block.text] : []))
      : [],
  )
  expect(texts).toEqual(['one two', 'MINE=set', 'chosen: yes'])
  expect(events.find(({ type }) => type === 'session_start')).toMatchObject({ agent: 'mine' })
  expect(JSON.stringify(events)).not.toContain('"acp"')
})

test('a recording of a configured agent is read with its name', async () => {
  write(own(), agentsFile({ name: 'mine', command: ['mine'] }))
  const agent = await (await createAgentSource({ data }).find('mine')).load()
  const result = { protocolVersion: 1, agentCapabilities: {} }
  const decoder = agent.createDecoder()
  const opened = { jsonrpc: '2.0', id: 1, result: { sessionId: 's1' } }
  const events = [...decoder.push({ jsonrpc: '2.0', id: 0, result }), ...decoder.push(opened)]
  expect(events).toContainEqual(expect.objectContaining({ type: 'session_start', agent: 'mine' }))
})
