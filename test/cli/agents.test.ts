import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { knownAgents } from '../../src/agents/known-agents.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { projectReaders } from '../../src/trust/project-readers.ts'
import { createTrustedProjects } from '../../src/trust/trusted-projects.ts'
import { sluice } from '../support/sluice.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-agents-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const data = join(root, 'data')
mkdirSync(data)
const mine = { name: 'mine', title: 'My agent', command: ['my-agent', 'acp'], login: 'Ask Ada.' }
writeFileSync(join(data, 'agents.json'), JSON.stringify({ agents: [mine] }))
for (const [name, version] of Object.entries({ codex: '99.0.0', goose: '1.2.3', pi: '0.73.1' })) {
  writeFileSync(join(root, name), `#!/bin/sh\necho ${version}\n`)
  chmodSync(join(root, name), 0o755)
}
const variables = Object.fromEntries(knownAgents.map((agent) => [agent.programVariable, '']))
const env = { ...process.env, ...variables, PATH: root }

describe('sluice agents', () => {
  test('shows what is installed, whether it was tried, and how to get the rest', async () => {
    const { stdout } = await sluice(['agents', '--data', data], { env })
    expect(stdout).toMatch(/^pi +Pi 0\.73\.1, tested$/m)
    expect(stdout).toMatch(/^codex +Codex 99\.0\.0, newer than the tested versions$/m)
    expect(stdout).toMatch(/^goose +Goose 1\.2\.3$/m)
    expect(stdout).toMatch(/^ +Can: approvals for some calls, steering, .*fork/m)
    expect(stdout).toMatch(/^ +Log in: Run `codex login`/m)
    expect(stdout).toMatch(/^mine +My agent, not installed\n +To get it, put `my-agent` on PATH/m)
    expect(stdout).toMatch(/^qwen .*not installed\n +To get it, run `npm install -g @qwen-code/m)
    expect(stdout.indexOf('goose')).toBeLessThan(stdout.indexOf('not installed'))
  })

  test('--json has the same facts', async () => {
    const { stdout } = await sluice(['agents', '--json', '--data', data], { env })
    const rows = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(rows).toContainEqual(
      expect.objectContaining({
        agent: 'codex',
        isInstalled: true,
        version: '99.0.0',
        standing: 'newer',
        login: expect.stringContaining('codex login'),
        capabilities: expect.objectContaining({ steer: true }),
      }),
    )
    expect(rows).toContainEqual(
      expect.objectContaining({ agent: 'mine', origin: 'user', isInstalled: false, path: null }),
    )
  })
})

describe('the agents that a project names', () => {
  const project = realpathSync(mkdtempSync(join(root, 'project-')))
  mkdirSync(join(project, '.sluice'))
  const theirs = { name: 'theirs', title: 'Their agent', command: ['pi'] }
  writeFileSync(join(project, '.sluice/agents.json'), JSON.stringify({ agents: [theirs] }))
  const list = () => sluice(['agents', '--cwd', project, '--data', data], { env })

  test('are listed once a person trusts the project, and until then named as not trusted', async () => {
    const before = await list()
    expect(before.stdout).not.toContain('Their agent')
    expect(before.stderr).toMatch(/names agents \(theirs\).*after you trust the project/)
    const log = await openSqliteLog(data)
    const projects = createTrustedProjects({ log, agents: projectReaders })
    const { hash = '' } = await projects.look(project)
    await projects.decide({ path: project, hash, trusted: true }, 'Ann')
    await log.close()
    const after = await list()
    expect(after.stdout).toMatch(/^theirs +Their agent.*\n.*\n +From agents.json of the project/m)
    expect(after.stderr).not.toContain('theirs')
  })

  test('doctor and completion know described agents', async () => {
    const { stdout } = await sluice(['doctor', '--json', '--data', data], { env })
    const { findings } = JSON.parse(stdout)
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'agent mine', status: 'absent' }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ check: 'agent goose', status: 'ok' }))
    const words = await sluice(['__complete', '--', 'chat', '--data', data, ''], { env })
    expect(words.stdout).toContain('mine\tMy agent')
    expect(words.stdout.match(/^pi\t/gm)).toHaveLength(1)
  })

  test('a file that cannot be read is a problem', async () => {
    const broken = mkdtempSync(join(root, 'broken-'))
    writeFileSync(join(broken, 'agents.json'), '{')
    const { stdout } = await sluice(['doctor', '--json', '--data', broken], { env })
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ check: 'agents.json', status: 'problem' }),
    )
  })
})

test('every agent with a program of its own says how to get it and how to log in', () => {
  for (const { name, isBuiltIn, adapter, install, login } of knownAgents) {
    if (isBuiltIn || adapter === 'acp') continue
    expect({ name, install, login }).toEqual({
      name,
      install: expect.any(String),
      login: expect.any(String),
    })
  }
})
