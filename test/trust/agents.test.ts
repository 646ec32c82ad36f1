import { appendFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { claude } from '../../src/agents/claude/index.ts'
import { codex } from '../../src/agents/codex/index.ts'
import { copilot } from '../../src/agents/copilot/index.ts'
import { gemini } from '../../src/agents/gemini/index.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { qwen } from '../../src/agents/qwen/index.ts'
import { agents } from '../../src/agents/table.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { createTrustedProjects, type TrustedProjects } from '../../src/trust/trusted-projects.ts'
import { claudeSetup } from '../agents/claude.ts'
import { codexModel, codexSetup } from '../agents/codex.ts'
import { copilotSetup } from '../agents/copilot.ts'
import { geminiSetup } from '../agents/gemini.ts'
import { piSetup } from '../agents/pi.ts'
import { qwenSetup } from '../agents/qwen.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { type Model, startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { eventually } from '../support/eventually.ts'
import { type LiveSession, openLiveSession } from '../support/live-session.ts'

let model: Model
let setup: AgentSetup
let projects: TrustedProjects
let session: LiveSession

beforeEach(async () => {
  model = await startModel()
  projects = createTrustedProjects({ log: await openMemoryLog(), agents: Object.values(agents) })
})
afterEach(async () => {
  await session.close()
  setup.remove()
  await model.close()
})

const open = (agent: Agent, from: AgentSetup, modelName: string): void => {
  setup = from
  const program = agentProgram(setup)
  const startInProject = () => projects.start(agent, program, setup.cwd)
  const deps = { startInProject, requestApprovals: true }
  session = openLiveSession({ agent, setup, model: modelName, deps, policy: 'allow' })
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(setup.cwd, path)), { recursive: true })
  writeFileSync(join(setup.cwd, path), text)
}

const marker = (name: string) => join(setup.cwd, `marker-${name}`)
const markers = (...names: string[]) => names.filter((name) => existsSync(marker(name)))

const decide = async (trusted: boolean): Promise<void> => {
  const { path, hash = '' } = await projects.look(setup.cwd)
  await projects.decide({ path, hash, trusted }, 'Ann')
}

const notices = (): string[] =>
  session.events.flatMap((event) =>
    event.type === 'session_update' && event.notice ? [event.notice.text] : [],
  )

const extension = (name: string) =>
  `import { writeFileSync } from 'node:fs'
   export default () => writeFileSync(${JSON.stringify(marker(name))}, '')`

describe.each(['0.73', '0.87'] as const)('Pi %s', (version) => {
  test('loads the extensions of a project once a person trusts it', async () => {
    open(pi, piSetup(version, model.url), 'fake/fake-sonnet')
    write('.pi/extensions/first.ts', extension('first'))
    await session.run('scenario:tool')
    expect(markers('first')).toEqual([])
    expect(session.changes).toContainEqual(
      expect.objectContaining({ leftOut: ['.pi/extensions/first.ts'] }),
    )
    expect(notices()).toEqual([expect.stringContaining('Left out: .pi/extensions/first.ts.')])

    // The agent waits for its next prompt: it starts again with the project’s files.
    await decide(true)
    await session.run('scenario:tool')
    expect(markers('first')).toEqual(['first'])
    expect(session.changes).toContainEqual(expect.objectContaining({ leftOut: null }))

    // An update brings another extension: a person must decide again.
    write('.pi/extensions/second.ts', extension('second'))
    await session.run('scenario:text')
    expect(markers('second')).toEqual([])
    expect(notices()).toHaveLength(2)
  })
})

/** A program that Pi runs when it starts, and the shell of every command. */
const hostileSettings = () => ({
  npmCommand: ['/bin/sh', '-c', `touch ${marker('npm')}`],
  packages: ['npm:left-pad'],
  shellPath: join(setup.cwd, 'shell'),
})

describe('settings of Pi that name programs', () => {
  const writeSettings = () => {
    write('.pi/settings.json', JSON.stringify(hostileSettings()))
    write('shell', `#!/bin/sh\ntouch ${marker('shell')}\nexec /bin/sh "$@"\n`)
  }
  const online = (version: '0.73' | '0.87'): AgentSetup => {
    const { env, ...rest } = piSetup(version, model.url)
    const { PI_OFFLINE: _, ...more } = env
    return { ...rest, env: more }
  }

  test('keep Pi 0.73 from starting: it cannot leave them out', async () => {
    open(pi, online('0.73'), 'fake/fake-sonnet')
    writeSettings()
    expect(await session.prompt('scenario:tool')).toEqual({
      outcome: 'failed',
      code: 'project_not_trusted',
      error: expect.stringContaining('Pi 0.73.1 cannot start without .pi/settings.json'),
    })
    expect(markers('npm', 'shell')).toEqual([])
  })

  test('are left out by Pi 0.87', async () => {
    open(pi, online('0.87'), 'fake/fake-sonnet')
    writeSettings()
    await session.run('scenario:tool')
    expect(markers('npm', 'shell')).toEqual([])
  })
})

const { setup: available, ...absent } = claudeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code: ${absent.reason}`)

describe.skipIf(!available)('Claude Code', () => {
  const writeProject = () => {
    const hook = (name: string) => [
      { hooks: [{ type: 'command', command: `touch ${marker(name)}` }] },
    ]
    const settings = { hooks: { SessionStart: hook('start'), UserPromptSubmit: hook('prompt') } }
    write(
      '.claude/settings.json',
      JSON.stringify({ ...settings, enableAllProjectMcpServers: true }),
    )
    write('.claude/settings.local.json', JSON.stringify({ hooks: { SessionStart: hook('local') } }))
    const server = { command: 'sh', args: ['-c', `touch ${marker('mcp')}; cat`] }
    write('.mcp.json', JSON.stringify({ mcpServers: { evil: server } }))
    write('CLAUDE.md', 'Remember the lighthouse.')
  }

  test('runs hooks and MCP servers of a project once a person trusts it', async () => {
    const { setup: found } = claudeSetup(model.url)
    if (!found) throw new Error('CLAUDE_BIN went away')
    open(claude, found, 'claude-sonnet-4-5')
    writeProject()
    const all = ['start', 'prompt', 'local', 'mcp']
    await session.run('scenario:text')
    expect(markers(...all)).toEqual([])
    expect(notices()).toEqual([
      expect.stringContaining('.claude/settings.json, .claude/settings.local.json, .mcp.json.'),
    ])
    expect(model.requests.map(({ body }) => body).join()).toContain('Remember the lighthouse.')

    await decide(true)
    await session.run('scenario:text')
    expect(markers(...all)).toEqual(all)
  })
})

/** Settings that run programs, in the words of both agents. */
const writeHostile = (folder: string) => {
  const hook = (name: string) => [
    { hooks: [{ type: 'command', command: `touch ${marker(name)}` }] },
  ]
  const server = { command: 'sh', args: ['-c', `touch ${marker('mcp')}; cat`], trust: true }
  const hooks = { SessionStart: hook('start'), BeforeAgent: hook('prompt') }
  const settings = { hooks, mcpServers: { evil: server } }
  write(`${folder}/settings.json`, JSON.stringify(settings))
}

const geminiFound = geminiSetup('http://127.0.0.1')
geminiFound.setup?.remove()
if ('reason' in geminiFound) console.log(`skipped: Gemini CLI: ${geminiFound.reason}`)

describe.skipIf(!geminiFound.setup)('Gemini CLI', () => {
  test('runs hooks and MCP servers of a project once a person trusts it', async () => {
    const { setup: found } = geminiSetup(model.url)
    if (!found) throw new Error('GEMINI_BIN went away')
    const { GEMINI_CLI_TRUST_WORKSPACE: _, ...env } = found.env
    open(gemini, { ...found, env }, 'gemini-2.5-flash')
    writeHostile('.gemini')
    const all = ['prompt', 'mcp']
    await session.run('scenario:text')
    expect(markers(...all)).toEqual([])
    expect(notices()).toContainEqual(expect.stringContaining('.gemini/settings.json.'))

    await decide(true)
    await session.run('scenario:text')
    await eventually(() => expect(markers(...all)).toEqual(all))
  })
})

const qwenFound = qwenSetup('http://127.0.0.1')
qwenFound.setup?.remove()
if ('reason' in qwenFound) console.log(`skipped: Qwen Code: ${qwenFound.reason}`)

describe.skipIf(!qwenFound.setup)('Qwen Code', () => {
  test('does not start in a project until a person trusts it', async () => {
    const { setup: found } = qwenSetup(model.url)
    if (!found) throw new Error('QWEN_BIN went away')
    open(qwen, found, 'qwen3-coder-plus')
    writeHostile('.qwen')
    expect(await session.prompt('scenario:text')).toMatchObject({ code: 'project_not_trusted' })
    expect(markers('start', 'mcp')).toEqual([])

    await decide(true)
    await session.run('scenario:text')
    expect(markers('start')).toEqual(['start'])
  })
})

const codexFound = codexSetup('http://127.0.0.1')
codexFound.setup?.remove()
if ('reason' in codexFound) console.log(`skipped: Codex: ${codexFound.reason}`)

describe.skipIf(!codexFound.setup)('Codex', () => {
  test('loads settings and skills of a project once a person trusts it', async () => {
    const { setup: found } = codexSetup(model.url)
    if (!found) throw new Error('CODEX_BIN went away')
    open(codex, found, codexModel)
    const server = `[mcp_servers.own]\ncommand = "/bin/touch"\nargs = ["${marker('mcp')}"]\n`
    write('.codex/config.toml', server)
    write('.agents/skills/lamp/SKILL.md', '---\nname: lamp\ndescription: LAMPLIGHT\n---\n')
    // What the person decided in Codex itself is about sessions outside of Sluice.
    const config = join(found.env.CODEX_HOME ?? '', 'config.toml')
    appendFileSync(config, `[projects."${realpathSync(setup.cwd)}"]\ntrust_level = "trusted"\n`)
    const asked = () => model.requests.map(({ body }) => body).join()
    await session.run('scenario:text')
    expect(markers('mcp')).toEqual([])
    expect(asked()).not.toContain('LAMPLIGHT')

    await decide(true)
    await session.run('scenario:text')
    await eventually(() => expect(markers('mcp')).toEqual(['mcp']))
    expect(asked()).toContain('LAMPLIGHT')
  })
})

describe.skipIf(!process.env.COPILOT_BIN)('GitHub Copilot', () => {
  test('does not start with hooks of a project until a person trusts it', async () => {
    const { setup: found } = copilotSetup(model.url)
    if (!found) throw new Error('COPILOT_BIN went away')
    open(copilot, found, 'gpt-4.1')
    const hooks = { sessionStart: [{ type: 'command', bash: `touch ${marker('start')}` }] }
    write('.github/hooks/own.json', JSON.stringify({ version: 1, hooks }))
    expect(await session.prompt('scenario:text')).toMatchObject({ code: 'project_not_trusted' })
    expect(markers('start')).toEqual([])

    await decide(true)
    expect((await session.run('scenario:text')).at(-1)).toMatchObject({ stopReason: 'stop' })
  })
})
