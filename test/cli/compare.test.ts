import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparisonText } from '../../src/cli/comparison-text.ts'
import { sluice } from '../support/sluice.ts'

describe('the same prompt to several agents', () => {
  let root: string
  let project: string
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'sluice-compare-'))
    project = mkdtempSync(join(root, 'project-'))
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project })
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Somebody')
    git('config', 'user.email', 'somebody@example.org')
    writeFileSync(join(project, 'a.txt'), 'one\n')
    git('add', '-A')
    git('commit', '-qm', 'First')
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const compare = (agents: string) =>
    sluice([
      ...['run', '--agents', agents, 'tool', '--approve', 'allow'],
      ...['--cwd', project, '--data', join(root, 'data')],
    ])

  test('one agent is not enough, and an unknown one is named', async () => {
    expect(await compare('demo')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least two different agents'),
    })
    expect(await compare('demo,nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nobody'),
    })
    // The worktree of the first agent is gone again.
    expect(readdirSync(join(project, '.sluice/worktrees'))).toEqual(['.gitignore'])
  })

  test('changes that are not committed are an error that says what to do', async () => {
    writeFileSync(join(project, 'new.txt'), '')
    const { code, stderr } = await compare('demo,pi')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('new.txt') })
    rmSync(join(project, 'new.txt'))
  })
})

describe('the results', () => {
  const session = (agent: string) => ({
    ...{ id: agent, agent, cwd: '/', state: 'idle' as const },
    ...{ createdAt: 1, updatedAt: 1, lastActivity: 1, workedMs: 2000 },
  })
  const diff = { sessionId: 's', since: 1, source: 'git' as const, files: [] }
  const compared = ['pi', 'claude'].map((agent) => ({
    ...{ session: session(agent), diff, text: `Answer of ${agent}.` },
  }))

  test('are side by side on a wide terminal, and below each other on a narrow one', () => {
    expect(comparisonText(compared, 80)).toMatch(/Answer of pi\. +Answer of claude\./)
    const narrow = comparisonText(compared, 40)
    expect(narrow).not.toMatch(/Answer of pi\. +Answer/)
    expect(narrow.indexOf('Answer of pi.')).toBeLessThan(narrow.indexOf('Answer of claude.'))
  })

  test('show escapes of an agent as text', () => {
    const [first] = compared
    const hostile = first ? [{ ...first, text: '\u001b[2Jgone' }] : []
    expect(comparisonText(hostile, 80)).not.toContain('\u001b')
  })
})
