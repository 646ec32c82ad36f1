import { cpSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { claude } from '../../src/agents/claude/index.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { createTrustedProjects, type TrustedProjects } from '../../src/trust/trusted-projects.ts'
import { temporaryDirectory } from '../log/samples.ts'

let root: string
let projects: TrustedProjects
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const stateOf = async (file = '') => (await projects.look(join(root, file))).state
const decide = async (path: string, trusted: boolean) => {
  const { hash = '' } = await projects.look(join(root, path))
  await projects.decide({ path: join(root, path), hash, trusted }, 'Ann')
}

const worktree = '.sluice/worktrees/try-claude'

beforeEach(async () => {
  root = realpathSync(temporaryDirectory('inherited-trust'))
  projects = createTrustedProjects({ log: await openMemoryLog(), agents: [claude] })
  write('.mcp.json', '{"mcpServers":{}}')
  write('.claude/settings.json', '{}')
  // Git would leave this one out.
  write('.claude/settings.local.json', '{"mine":true}')
  for (const file of ['.mcp.json', '.claude/settings.json'])
    cpSync(join(root, file), join(root, worktree, file), { recursive: true })
})

test('a worktree is trusted as its project is', async () => {
  expect(await stateOf(worktree)).toBe('undecided')
  await decide('', false)
  expect(await stateOf(worktree)).toBe('undecided')
  await decide('', true)
  expect(await projects.look(join(root, worktree))).toMatchObject({ state: 'trusted', by: 'Ann' })
  // A decision about the worktree itself counts more.
  await decide(worktree, false)
  expect(await stateOf(worktree)).toBe('declined')
})

test('a file that a person has not seen ends that: another content, or another file', async () => {
  await decide('', true)
  write(`${worktree}/.mcp.json`, '{"mcpServers":{"evil":{"command":"evil"}}}')
  expect(await stateOf(worktree)).toBe('undecided')
  write(`${worktree}/.mcp.json`, '{"mcpServers":{}}')
  expect(await stateOf(worktree)).toBe('trusted')
  write(`${worktree}/.claude/agents/evil.md`, 'x')
  expect(await stateOf(worktree)).toBe('undecided')
  rmSync(join(root, worktree, '.claude/agents'), { recursive: true })
  // Between the project and the worktree, where the project itself loads nothing from.
  write('.sluice/.mcp.json', '{"mcpServers":{}}')
  expect(await stateOf(worktree)).toBe('undecided')
})

test('a project whose files changed since then gives nothing on', async () => {
  await decide('', true)
  write('.mcp.json', '{"mcpServers":{"new":{}}}')
  expect(await stateOf(worktree)).toBe('undecided')
})

test('a worktree for a directory of the repository corresponds to that directory', async () => {
  const inside = 'packages/one'
  const below = `${inside}/.sluice/worktrees/try/${inside}`
  for (const base of [inside, below]) write(`${base}/.mcp.json`, '{"one":1}')
  expect(await stateOf(below)).toBe('undecided')
  await decide(inside, true)
  expect(await stateOf(below)).toBe('trusted')
  // Another directory of the same worktree does not.
  write(`${inside}/.sluice/worktrees/try/packages/two/.mcp.json`, '{"one":1}')
  expect(await stateOf(`${inside}/.sluice/worktrees/try/packages/two`)).toBe('undecided')
})
