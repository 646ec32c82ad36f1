import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSandbox } from '../../../src/process/sandbox.ts'
import { openClientSession } from '../../support/acp-client-session.ts'
import { findBubblewrap } from '../../support/bubblewrap.ts'
import { ofType } from '../../support/decoded.ts'

const write = (path: string, content: string) =>
  ['request', 'fs/write_text_file', { path, content }] as const
const editing = (path: string) =>
  [
    'update',
    {
      ...{ sessionUpdate: 'tool_call', toolCallId: `edit ${path}`, kind: 'edit', title: 'Edit' },
      ...{ status: 'in_progress', locations: [{ path }] },
    },
  ] as const
const create = (command: string) => ['request', 'terminal/create', { command }] as const
const about = (method: string) => ['request', `terminal/${method}`, { terminalId: '$T1' }] as const

describe('in a mode for edits', () => {
  const gemini = { name: 'gemini-cli' }

  test('that a person chose, the writes of edits need no approval', async () => {
    const { session, run, cwd } = openClientSession(gemini)
    const path = join(cwd, 'a.txt')
    await session.run('capabilities')
    await session.setMode('autoEdit')
    const { events, answers } = await run(editing(path), write(path, 'new'))
    expect(answers).toEqual([{ result: {} }])
    expect(ofType(events, 'approval_request')).toEqual([])
  })

  test.each(['.git/hooks/pre-commit', '.env', 'below/.vscode/tasks.json'])(
    'a person still decides about %s',
    async (name) => {
      const { session, decide, cwd } = openClientSession(gemini)
      const path = join(cwd, name)
      await session.run('capabilities')
      await session.setMode('autoEdit')
      await decide('deny', editing(path), write(path, 'new'))
      expect(existsSync(path)).toBe(false)
    },
  )

  test('that the agent changed to by itself, a person still decides', async () => {
    const { decide, cwd } = openClientSession(gemini)
    const path = join(cwd, 'a.txt')
    const mode = { sessionUpdate: 'current_mode_update', currentModeId: 'autoEdit' }
    await decide('deny', ['update', mode], editing(path), write(path, 'new'))
    expect(existsSync(path)).toBe(false)
  })

  test('a write without an edit of the agent needs an approval', async () => {
    const { session, decide, cwd } = openClientSession(gemini)
    await session.run('capabilities')
    await session.setMode('autoEdit')
    await decide('deny', write(join(cwd, 'a.txt'), 'new'))
  })
})

describe('an approval', () => {
  test('that the agent withdraws is over, and nothing is written', async () => {
    const { run, cwd } = openClientSession()
    const path = join(cwd, 'a.txt')
    const { events, answers } = await run(
      ['start', 'fs/write_text_file', { path, content: 'new' }],
      // The answer to this request comes when the first one waits for a person.
      ['request', 'fs/read_text_file', { path }],
      ['request', 'fs/read_text_file', { path }],
      ['cancelFirst'],
      ['await'],
    )
    expect(ofType(events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
    expect(answers.at(-1)).toMatchObject({ error: { code: -32_603 } })
    expect(existsSync(path)).toBe(false)
  })

  test('that is open when a person stops the run is denied', async () => {
    const { session, approval, cwd } = openClientSession()
    const path = join(cwd, 'a.txt')
    const running = session.run(JSON.stringify([write(path, 'new')]))
    await approval(0)
    await session.abort()
    await running
    expect(session.pendingApprovals()).toEqual([])
    expect(existsSync(path)).toBe(false)
  })
})

test('an agent that sends too many requests at once gets errors for the rest', async () => {
  const { run, cwd } = openClientSession({ policy: 'allow' })
  const path = join(cwd, 'big.txt')
  writeFileSync(path, 'x'.repeat(200_000))
  const many = Array.from(
    { length: 150 },
    () => ['start', 'fs/read_text_file', { path, limit: 1 }] as const,
  )
  const { answers } = await run(...many, ['await'])
  const refused = answers.filter(({ error }) => error)
  expect(answers).toHaveLength(150)
  expect(refused.length).toBeLessThanOrEqual(50)
  expect(answers.filter(({ result }) => result).length).toBeGreaterThanOrEqual(100)
})

const bubblewrap = await findBubblewrap()
if (bubblewrap.reason !== undefined) console.log(`skipped: sandbox: ${bubblewrap.reason}`)

test.skipIf(bubblewrap.reason !== undefined)(
  'a command runs in the sandbox of the agent: the data of the server is hidden',
  async () => {
    const { home, cwd } = openClientSession()
    const data = join(home, 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'secret'), 'secret')
    const hidden = [realpathSync(data)]
    const sandbox = await openSandbox({ mode: 'on', hidden, env: { PATH: bubblewrap.path } })
    const inside = openClientSession({ policy: 'allow', deps: { sandbox } })
    const { answers } = await inside.run(
      create(`ls -A ${data}; cat /proc/1/comm; echo end`),
      about('wait_for_exit'),
      about('output'),
    )
    expect(answers[2]?.result?.output).toBe('bwrap\nend\n')
    expect(cwd).not.toBe(inside.cwd)
  },
)
