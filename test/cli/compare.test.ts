import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparisonText } from '../../src/cli/comparison-text.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { type SluiceOptions, sluice, root as testRoot } from '../support/sluice.ts'

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
    const command = [process.execPath, join(testRoot, 'test/support/acp-agent.js')]
    mkdirSync(join(root, 'data'))
    writeFileSync(
      join(root, 'data', 'agents.json'),
      JSON.stringify({
        agents: [
          { name: 'one', command },
          { name: 'two', command },
          { name: 'broken', command: [process.execPath, '-e', 'process.exit(3)'] },
        ],
      }),
    )
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const compareWith = (agents: string, more: readonly string[], options?: SluiceOptions) =>
    sluice(
      [
        ...['run', '--agents', agents, ...more, '--sandbox', 'off'],
        ...['--cwd', project, '--data', join(root, 'data')],
      ],
      options,
    )
  const compare = (agents: string) => compareWith(agents, ['tool', '--approve', 'allow'])
  const folder = () => join(project, '.sluice/worktrees')
  const left = () => readdirSync(folder()).filter((name) => name !== '.gitignore')
  const jsonOf = (stdout: string): unknown[] =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  test('one agent is not enough, and an unknown one is named', async () => {
    expect(await compare('demo')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least two different agents'),
    })
    expect(await compare('demo,nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nobody'),
    })
    // Nothing was made.
    expect(existsSync(folder()) ? left() : []).toEqual([])
  })

  test('two agents work side by side, and what they changed stays until it is deleted', async () => {
    const { code, stdout } = await compareWith('one,two', ['write'])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Written.') })
    expect(stdout).toMatch(/^one +done .*\+2 -0 in 1 file$/m)
    expect(stdout).toContain('git merge sluice/')
    expect(left()).toHaveLength(2)
    const data = ['--cwd', project, '--data', join(root, 'data')]
    const listed = await sluice(['worktrees', ...data])
    expect(listed.stdout).toMatch(/-one\n +1 file not committed/)
    expect(await sluice(['worktrees', 'remove', ...data])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing deleted: .* not committed\. .*--force/),
    })
    expect(await sluice(['worktrees', 'remove', left()[0] ?? '', ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force'),
    })
    const removed = await sluice(['worktrees', 'remove', ...left(), '--force', '--json', ...data])
    expect(jsonOf(removed.stdout)).toMatchObject([{ state: 'changed' }, { state: 'changed' }])
    expect(left()).toEqual([])
  })

  test('one that fails is reported as JSON, and --clean-up leaves nothing', async () => {
    const { code, stdout } = await compareWith('one,broken', ['write', '--json', '--clean-up'])
    expect(code).toBe(1)
    expect(jsonOf(stdout)).toMatchObject([
      { agent: 'one', state: 'done', files: ['written.txt'], additions: 2, text: 'Written.' },
      { agent: 'broken', state: 'failed', problem: expect.any(String), files: [] },
    ])
    expect(left()).toEqual([])
    expect(await sluice(['run', 'demo', 'hi', '--json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--json works only with --agents'),
    })
  })

  test.skipIf(!ptyMaker.wrap)('on a screen, each agent has one line, which changes', async () => {
    const sized = ['sh', '-c', 'stty rows 30 cols 90; exec "$0" "$@"', process.execPath]
    const args = ['run', '--agents', 'one,two', 'write', '--clean-up', '--sandbox', 'off']
    const screen = startInTerminal(
      [
        ...sized,
        join(testRoot, 'src/cli/main.js'),
        ...args,
        '--cwd',
        project,
        '--data',
        join(root, 'data'),
      ],
      { cwd: project, env: process.env },
    )
    await screen.ended
    const frames = screen.screen().split('\r\u001b[2A\u001b[J')
    expect(frames.length).toBeGreaterThan(1)
    for (const frame of frames.slice(1, -1)) expect(frame).toMatch(/^one .*\r\n(two .*)\r\n$/)
    expect(frames.at(-1)).toMatch(/^two +done .*\+2 -0 in 1 file\r$/m)
    // The worktrees are gone.
    expect(screen.screen()).not.toContain('git merge')
  })

  test('Ctrl-C stops all agents, and unchanged worktrees go', async () => {
    const { code, stdout } = await compareWith('one,two', ['wait'], {
      onStdout(child, text) {
        if (!child.killed && text.match(/^(?:one|two) +(?:writing|thinking)/gm)?.length === 2)
          child.kill('SIGINT')
      },
    })
    expect(code).toBe(130)
    expect(stdout).toMatch(/^two +done/m)
    expect(left()).toEqual([])
  })

  test('changes that are not committed are an error that says what to do', async () => {
    writeFileSync(join(project, 'new.txt'), '')
    const { code, stderr } = await compare('demo,pi')
    expect(code).toBe(2)
    expect(stderr).toMatch(/new\.txt.*start from the last commit with --from-head\.$/m)
    rmSync(join(project, 'new.txt'))
  })
})

describe('the results', () => {
  const session = (agent: string) => ({
    ...{ id: agent, agent, cwd: '/', state: 'idle' as const },
    ...{ createdAt: 1, updatedAt: 1, lastActivity: 1, workedMs: 2000 },
  })
  const compared = ['pi', 'claude'].map((agent) => ({
    ...{ session: session(agent), state: 'done' as const, text: `Answer of ${agent}.` },
    ...{ files: [], additions: 0, deletions: 0 },
  }))

  test('are side by side on a wide terminal, and below each other on a narrow one', () => {
    expect(comparisonText(compared, { columns: 80 })).toMatch(/Answer of pi\. +Answer of claude\./)
    const narrow = comparisonText(compared, { columns: 40 })
    expect(narrow).not.toMatch(/Answer of pi\. +Answer/)
    expect(narrow.indexOf('Answer of pi.')).toBeLessThan(narrow.indexOf('Answer of claude.'))
  })

  test('show escapes of an agent as text', () => {
    const [first] = compared
    const hostile = first ? [{ ...first, text: '\u001b[2Jgone' }] : []
    expect(comparisonText(hostile, { columns: 80 })).not.toContain('\u001b')
  })
})
