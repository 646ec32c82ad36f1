import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configuredEntry } from '../../src/agents/configured-agent.ts'
import { agentNames, knownAgent } from '../../src/agents/known-agents.ts'
import { agentVersion, createAgentCatalog } from '../../src/process/agent-catalog.ts'

/** A program that counts its calls, and prints its version only after `release`. */
const createProgram = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-catalog-'))
  const path = join(directory, 'pi')
  const go = join(directory, 'go')
  const calls = join(directory, 'calls')
  writeFileSync(calls, '')
  const before = process.env.PI_BIN
  process.env.PI_BIN = path
  onTestFinished(() => {
    if (before === undefined) delete process.env.PI_BIN
    else process.env.PI_BIN = before
    writeFileSync(go, '')
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    calls: () => readFileSync(calls, 'utf8').length,
    release: () => writeFileSync(go, ''),
    write(version: string): void {
      const waiting = `while [ ! -e '${go}' ]; do sleep 0.02; done`
      writeFileSync(
        `${path}.new`,
        `#!/bin/sh\nprintf x >> '${calls}'\n${waiting}\necho ${version}\n`,
      )
      chmodSync(`${path}.new`, 0o755)
      renameSync(`${path}.new`, path)
    },
  }
}

test('a slow `--version` does not delay the list, and is called once per file', async () => {
  const program = createProgram()
  program.write('1.2.3')
  const catalog = createAgentCatalog({ sandbox: { mode: 'off' }, waitMs: 20 })
  const version = async () => (await catalog.list()).find(({ name }) => name === 'pi')?.version
  const agents = await catalog.list()
  expect(agents.map(({ name }) => name)).toEqual(agentNames)
  expect(agents[0]).toEqual({
    name: 'pi',
    title: 'Pi',
    isInstalled: true,
    login: expect.any(String),
    capabilities: knownAgent('pi')?.capabilities,
    start: knownAgent('pi')?.start,
    sandbox: { mode: 'off' },
  })
  expect(await version()).toBeUndefined()
  program.release()
  await expect.poll(version).toBe('1.2.3')
  await catalog.list()
  expect(program.calls()).toBe(1)
  // The program was replaced, so the cached version is discarded.
  program.write('2.0.0')
  await expect.poll(version).toBe('2.0.0')
  expect(program.calls()).toBe(2)
})

test('after a while the version is read again in the background', async () => {
  const program = createProgram()
  program.write('1.2.3')
  program.release()
  let time = 1_000_000
  const catalog = createAgentCatalog({
    sandbox: { mode: 'off' },
    now: () => time,
    refreshMs: 1000,
    waitMs: 10_000,
  })
  const version = async () => (await catalog.list()).find(({ name }) => name === 'pi')?.version
  expect(await version()).toBe('1.2.3')
  time += 1000
  expect(await version()).toBe('1.2.3')
  await expect.poll(program.calls).toBe(2)
})

test('the program of a project, which runs in the sandbox only, is not started for its version', async () => {
  const program = createProgram()
  program.write('1.2.3')
  program.release()
  const pi = knownAgent('pi')
  if (!pi) return expect.unreachable('Pi is an agent')
  const source = {
    list: async () => ({ agents: [{ ...pi, origin: 'project' as const }], problems: [] }),
    find: async () => pi,
  }
  const catalog = createAgentCatalog({ sandbox: { mode: 'off' }, waitMs: 10_000, source })
  const [agent] = await catalog.list()
  expect(agent).toMatchObject({ origin: 'project', isInstalled: true })
  expect(agent).not.toHaveProperty('version')
  expect(program.calls()).toBe(0)
})

test('the version of Node is not the version of a configured agent that Node runs', async () => {
  const command = [process.execPath, 'agent.js'] as const
  const mole = configuredEntry({ name: 'mole', command }, 'user')
  const source = {
    list: async () => ({ agents: [mole], problems: [] }),
    find: async () => mole,
  }
  const catalog = createAgentCatalog({ sandbox: { mode: 'off' }, waitMs: 10_000, source })
  const [agent] = await catalog.list()
  expect(agent).toMatchObject({ name: 'mole', isInstalled: true })
  expect(agent).not.toHaveProperty('version')
})

test('a session with an agent that is not installed is refused with the way to get it', async () => {
  const claude = knownAgent('claude')
  if (!claude) throw new Error('no Claude Code')
  const gone = { ...claude, program: 'no-such-program', programVariable: 'NO_SUCH_VARIABLE' }
  const source = { list: async () => ({ agents: [gone], problems: [] }), find: async () => gone }
  const catalog = createAgentCatalog({ sandbox: { mode: 'off' }, source })
  await expect(catalog.isInstalled('claude')).rejects.toMatchObject({
    code: 'agent_not_found',
    message: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
  })
})

test('a program that does not end is killed, and has no version', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-stubborn-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'agent')
  writeFileSync(path, "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.02; done\n", { mode: 0o755 })
  expect(await agentVersion(path, 200)).toBeNull()
})
