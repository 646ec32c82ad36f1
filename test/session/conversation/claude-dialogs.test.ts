import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { EventOf } from '../../../src/events/types.ts'
import { createSandbox } from '../../agents/sandbox.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const recordedAgent = path('../../support/recorded-agent.js')

/** Recorded dialogs with Claude Code, replayed by a process that checks what Sluice sends. */
describe('a session replays the recorded dialog', () => {
  let close: () => Promise<void> = async () => {}
  afterEach(() => close())

  /** The kinds of lines that the process received; set when it has ended. */
  let received: string[] = []

  const open = (name: string) => {
    const { cwd, env, remove } = createSandbox('recorded-agent')
    const report = join(cwd, 'report.json')
    const session = openLiveSession({
      agent: claude,
      model: 'claude-opus-5-5',
      setup: {
        argv: [process.execPath, recordedAgent],
        env: {
          ...env,
          RECORDED_DIALOG: path(`../../../recordings/claude/${name}`),
          DIALOG_REPORT: report,
        },
        cwd,
        remove,
      },
    })
    close = async () => {
      await session.close()
      const { problems, missing, args, kinds } = JSON.parse(readFileSync(report, 'utf8'))
      received = kinds
      expect({ problems, missing }).toEqual({ problems: [], missing: [] })
      expect(args.join(' ')).toContain('--permission-prompt-tool stdio')
      remove()
    }
    return session
  }
  type Live = ReturnType<typeof open>

  const ended = (session: Live, from = 0) =>
    session.until((event) => event.type === 'agent_end', from)

  /** The nth approval request, from 0. */
  const nthRequest = async (session: Live, nth = 0): Promise<EventOf<'approval_request'>> => {
    await session.until(() => ofType(session.events, 'approval_request').length > nth)
    const found = ofType(session.events, 'approval_request')[nth]
    if (!found) throw new Error('no request')
    return found
  }

  const outcomesIn = (session: Live) =>
    ofType(session.events, 'approval_resolved').map(({ action, outcome }) => [action, outcome])

  const resultsIn = (session: Live) =>
    ofType(session.events, 'tool_result').map(({ message }) => message)

  const allowed = ['2.1.325/bi-allow', '2.1.325/bi-allow-noinput', '2.1.325/bi-perm-twice']
  test.each(allowed)('%s: a tool is allowed', async (name) => {
    const session = open(name)
    await session.prompt('scenario:denied go')
    const { approvalId, toolName, args } = await nthRequest(session)
    expect(toolName).toBe('Bash')
    expect(args).toMatchObject({ command: 'touch created-by-denied.txt' })
    session.answer(approvalId, { action: 'allow' })
    expect(session.answer(approvalId, { action: 'deny', message: 'late no' })).toBe(false)
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(outcomesIn(session)).toEqual([['allow', 'answered']])
    expect(resultsIn(session)).toMatchObject([{ isError: false }])
  })

  test('2.1.325/bi-allow-updated: a tool is allowed with another input', async () => {
    const session = open('2.1.325/bi-allow-updated')
    await session.prompt('scenario:denied go')
    const { approvalId } = await nthRequest(session)
    const updatedInput = { command: 'touch renamed-by-host.txt', description: 'Create a file' }
    session.answer(approvalId, { action: 'allow', updatedInput })
    await ended(session)
    expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ updatedInput }])
    await session.run('scenario:denied again')
    expect(ofType(session.events, 'agent_end')).toHaveLength(2)
  })

  test('2.1.325/bi-perm-parallel: the first tool is denied with a message, the second is allowed', async () => {
    const session = open('2.1.325/bi-perm-parallel')
    await session.prompt('scenario:denied2 go')
    const first = await nthRequest(session)
    session.answer(first.approvalId, { action: 'deny', message: 'first one refused' })
    const second = await nthRequest(session, 1)
    session.answer(second.approvalId, { action: 'allow' })
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(resultsIn(session)).toMatchObject([
      { isError: true, content: [{ text: 'first one refused' }] },
      { isError: false },
    ])
  })

  test('2.1.325/bi-perm-agents: two subagents request approval at once', async () => {
    const session = open('2.1.325/bi-perm-agents')
    await session.prompt('scenario:agentperm2 go')
    const [first, second] = [await nthRequest(session), await nthRequest(session, 1)]
    expect(session.pendingApprovals()).toHaveLength(2)
    for (const { approvalId } of [second, first]) session.answer(approvalId, { action: 'allow' })
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(ofType(session.events, 'subagent_end')).toHaveLength(2)
  })

  test('2.1.325/bi-perm-parallel-read: three tools are allowed in a row', async () => {
    const session = open('2.1.325/bi-perm-parallel-read')
    await session.prompt('scenario:permmix go')
    for (const nth of [0, 1, 2])
      session.answer((await nthRequest(session, nth)).approvalId, { action: 'allow' })
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(outcomesIn(session)).toEqual(Array(3).fill(['allow', 'answered']))
  })

  test('2.1.212/bi-deny-interrupt: a tool is denied and the run is aborted', async () => {
    const session = open('2.1.212/bi-deny-interrupt')
    await session.prompt('scenario:denied go')
    const { approvalId } = await nthRequest(session)
    session.answer(approvalId, { action: 'deny', message: 'Stop here.' })
    await session.abort()
    expect(await ended(session)).toMatchObject({ stopReason: 'aborted' })
    expect(outcomesIn(session)).toEqual([['deny', 'answered']])
  })

  test('2.1.325/bi-ask: a question to the person is answered', async () => {
    const session = open('2.1.325/bi-ask')
    await session.prompt('scenario:ask go')
    const { approvalId, kind, questions } = await nthRequest(session)
    expect(kind).toBe('question')
    expect(questions).toMatchObject([{ question: 'Which colour?' }])
    session.answer(approvalId, { action: 'allow', answers: { 'Which colour?': ['Blue'] } })
    await ended(session)
    expect(JSON.stringify(resultsIn(session))).toContain('Blue')
  })

  const streamed = ['2.0.77/bi-interrupt-stream', '2.1.212/bi-interrupt-stream']
  test.each([...streamed, '2.1.325/bi-interrupt-stream'])(
    '%s: the run is aborted while text streams',
    async (name) => {
      const session = open(name)
      await session.prompt('scenario:slow go')
      await session.until((event) => event.type === 'message_update')
      await session.abort()
      expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
      const next = await session.run('scenario:text after interrupt')
      expect(textOf(next)).not.toBe('')
    },
  )

  test('2.1.325/bi-interrupt-tool: the run is aborted while a tool runs', async () => {
    const session = open('2.1.325/bi-interrupt-tool')
    await session.prompt('scenario:slowtool go')
    await session.until((event) => event.type === 'tool_execution_start')
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(resultsIn(session)).toMatchObject([{ isError: true }])
    await session.run('scenario:text after interrupt')
  })

  test('2.1.325/bi-retry-interrupt: the run is aborted while it waits for a retry', async () => {
    const session = open('2.1.325/bi-retry-interrupt')
    await session.prompt('scenario:exhaust500 go')
    await session.until((event) => event.type === 'auto_retry_start')
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  const withRequest = ['2.0.77/bi-perm-interrupt', '2.1.212/bi-perm-interrupt']
  test.each([...withRequest, '2.1.325/bi-perm-interrupt'])(
    '%s: the run is aborted while a request is open',
    async (name) => {
      const session = open(name)
      await session.prompt('scenario:denied go')
      const { approvalId } = await nthRequest(session)
      await session.abort()
      expect(session.answer(approvalId, { action: 'allow' })).toBe(false)
      expect(outcomesIn(session)).toEqual([['deny', 'cancelled']])
      expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
      await session.run('scenario:text after')
      await close()
      close = async () => {}
      // The denial is for agents that still wait for it; this one has cancelled its request.
      expect(received).toEqual(['prompt', 'interrupt', expect.any(String), 'prompt'])
      // The agent gets its own id back, not ours.
      expect(received[2]).toMatch(/^answer /)
      expect(received[2]).not.toBe(`answer ${approvalId}`)
    },
  )

  const bursts = ['2.0.77/bi-queue-burst', '2.1.212/bi-queue-burst', '2.1.325/bi-queue-burst']
  test.each(bursts)('%s: two steering messages are sent during the run', async (name) => {
    const session = open(name)
    await session.prompt('scenario:text one')
    await session.steer('scenario:text two')
    await session.steer('scenario:text three')
    const userMessages = () =>
      ofType(session.events, 'message_end').filter(({ message }) => message.role === 'user')
    const runs = name.startsWith('2.0') ? 3 : 2
    await session.until(() => ofType(session.events, 'agent_end').length === runs)
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.steering)
    expect(queued).toEqual([
      ['scenario:text two'],
      ['scenario:text two', 'scenario:text three'],
      ['scenario:text three'],
      [],
    ])
    expect(userMessages().length).toBeGreaterThanOrEqual(3)
    expect(session.isBusy()).toBe(false)
  })

  test('2.1.325/bi-queue-text: messages that are sent while text streams are accepted afterwards', async () => {
    const session = open('2.1.325/bi-queue-text')
    await session.prompt('scenario:slow4 go')
    await session.until((event) => event.type === 'agent_start')
    await session.steer('scenario:text second')
    await session.steer('scenario:thinking third')
    await session.until(() => ofType(session.events, 'agent_end').length === 2)
    const last = ofType(session.events, 'queue_update').at(-1)
    expect(last?.queued).toEqual({ steering: [], followUp: [] })
  })
})
