import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { root, type SluiceOptions, sluice } from '../support/sluice.ts'

const program = [process.execPath, join(root, 'test/support/acp-agent.js')]
let directory: string
let data: string
let project: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-acp-'))
  data = join(directory, 'data')
  project = join(directory, 'project')
  for (const path of [data, project]) mkdirSync(path)
})
afterEach(() => rmSync(directory, { recursive: true }))

const start = (args: readonly string[], command: readonly string[], options?: SluiceOptions) =>
  sluice(
    [
      ...args,
      '--data',
      data,
      '--cwd',
      project,
      '--sandbox',
      'off',
      ...(command.length > 0 ? ['--'] : []),
      ...command,
    ],
    options,
  )
const runAcp = (prompt: string, command: readonly string[], ...more: string[]) =>
  start(['run', 'acp', prompt, '--out', 'text', ...more], command)

describe('sluice run acp', () => {
  test('sends the prompt to the agent of the command, and ends it', async () => {
    expect(await runAcp('args', [...program, 'one', '--two'])).toMatchObject({
      code: 0,
      stdout: 'one --two\n',
    })
  })

  test('denies what the agent requests, unless --approve allows it', async () => {
    const denied = await runAcp('ask', program)
    expect(denied.stdout).toContain('chosen: no')
    expect(denied.stderr).toContain('--approve allow')
    const allowed = await runAcp('ask', program, '--approve', 'allow')
    expect(allowed.stdout).toContain('chosen: yes')
    expect(allowed.stderr).not.toContain('denied')
  })

  test('writes for the agent what --approve allows, and nothing else', async () => {
    const path = join(project, 'a.txt')
    const steps = JSON.stringify([['request', 'fs/write_text_file', { path, content: 'new' }]])
    const agent = [process.execPath, join(root, 'test/support/acp-client-agent.js')]
    const denied = await runAcp(steps, agent)
    expect(denied.stdout).toContain('"error"')
    expect(denied.stderr).toContain('--approve allow')
    expect(existsSync(path)).toBe(false)
    await runAcp(steps, agent, '--approve', 'allow')
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  test('Ctrl-C cancels the run first, so that the agent can end it', async () => {
    const { code, stdout } = await start(['run', 'acp', 'wait', '--out', 'events'], program, {
      onStdout(child, text) {
        if (!child.killed && text.includes('waiting')) child.kill('SIGINT')
      },
    })
    expect(code).toBe(130)
    // Without the request to cancel, the run would be interrupted.
    expect(stdout).toMatch(/"agent_end","stopReason":"aborted"/)
  })

  test('declines a form, also if all calls are allowed', async () => {
    const forms = [process.execPath, join(root, 'test/support/form-agent.js')]
    const { stdout } = await runAcp('url', forms, '--approve', 'allow')
    expect(stdout).toContain('got {"action":"decline"}')
  })

  test('a program that does not answer is named after a few seconds, and one that prints something else is given up', async () => {
    const [silent, strange] = await Promise.all([
      start(['run', 'acp', 'hello'], ['sleep', '60'], {
        onStderr(child, text) {
          if (!child.killed && text.includes('such as acp or --acp')) child.kill('SIGINT')
        },
      }),
      runAcp('hello', ['sh', '-c', 'echo welcome; sleep 60']),
    ])
    expect(silent.code).toBe(130)
    expect(silent.stderr).toContain('has not answered for 5 seconds')
    expect(strange.code).toBe(1)
    expect(strange.stderr).toContain('it printed lines that are not ACP')
  })

  test('makes the agent wait while nobody reads its output', async () => {
    const written = join(directory, 'written')
    const child = spawn(
      process.execPath,
      [
        ...[join(root, 'src/cli/main.js'), 'run', 'acp', `flood ${written}`, '--out', 'events'],
        ...['--data', data, '--cwd', project, '--sandbox', 'off', '--', ...program],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const rounds = () => (existsSync(written) ? statSync(written).size : 0)
    let before = -1
    let since = Date.now()
    await eventually(() => {
      if (rounds() !== before) since = Date.now()
      before = rounds()
      expect(before).toBeGreaterThan(0)
      expect(Date.now() - since).toBeGreaterThan(1000)
    })
    expect(before).toBeLessThan(200) // 20 MB
    child.stdout.resume()
    await eventually(() => expect(rounds()).toBeGreaterThan(before))
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  test('without a command, or with one that does not exist, says what to type', async () => {
    const none = await runAcp('hello', [])
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('sluice run acp "…" -- my-agent acp')
    const absent = await runAcp('hello', ['no-such-agent', 'acp'])
    expect(absent.code).not.toBe(0)
    expect(absent.stderr).toContain('There is no program “no-such-agent” on PATH.')
    const noPath = await runAcp('hello', ['./no-such-agent', 'acp'])
    expect(noPath.stderr).toMatch(/There is no program at \S+no-such-agent\./)
  })

  test.each([['true'], ['echo', 'hello'], ['cat']])(
    'a program that is no agent: %s',
    async (...command) => {
      const { code, stderr } = await runAcp('hello', command)
      expect(code).toBe(1)
      expect(stderr).toMatch(/opened no session|Method not found/)
    },
  )
})

test('a configured agent runs a single prompt', async () => {
  const agents = [{ name: 'mine', command: [...program, 'one'] }]
  writeFileSync(join(data, 'agents.json'), JSON.stringify({ agents }))
  const { code, stdout } = await start(['run', 'mine', 'args', '--out', 'events'], ['two'])
  expect(code).toBe(0)
  expect(stdout).toContain('"agent":"mine"')
  expect(stdout).toContain('one two')
})

describe('sluice chat acp', () => {
  test('talks to the agent of the command', async () => {
    const { code, stdout } = await start(['chat', 'acp'], [...program, 'one'], { input: 'args\n' })
    expect(stdout).toContain('one')
    expect(code).toBe(0)
  })

  test('needs a command, and no other agent takes one', async () => {
    const none = await start(['chat', 'acp'], [])
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('sluice chat acp -- my-agent acp')
    const other = await start(['chat', 'claude'], program)
    expect(other).toMatchObject({ code: 2 })
    expect(other.stderr).toContain('has its own command')
  })
})
