import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { EventOf } from '../../../src/events/types.ts'
import { createSandbox } from '../../agents/sandbox.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLive } from '../../support/live.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const standIn = path('../../support/stand-in.js')

/** What was said to Claude Code and what it answered, with a process that checks our side of it. */
describe('a session over the recorded dialog', () => {
  let close: () => Promise<void> = async () => {}
  afterEach(() => close())

  /** What the stand-in process was told, by the kind of line; known once it has ended. */
  let arrived: string[] = []

  const open = (name: string) => {
    const { cwd, env, remove } = createSandbox('stand-in')
    const report = join(cwd, 'report.json')
    const session = openLive({
      agent: claude,
      model: 'claude-opus-5-5',
      setup: {
        argv: [process.execPath, standIn],
        env: {
          ...env,
          STAND_IN_RECORDING: path(`../../../recordings/claude/${name}`),
          STAND_IN_REPORT: report,
        },
        cwd,
        remove,
      },
    })
    close = async () => {
      await session.close()
      const { problems, missing, args, kinds } = JSON.parse(readFileSync(report, 'utf8'))
      arrived = kinds
      expect({ problems, missing }).toEqual({ problems: [], missing: [] })
      expect(args.join(' ')).toContain('--permission-prompt-tool stdio')
      remove()
    }
    return session
  }
  type Live = ReturnType<typeof open>

  const ended = (session: Live, from = 0) =>
    session.until((event) => event.type === 'agent_end', from)

  /** The nth question, the first being 0. */
  const asked = async (session: Live, nth = 0): Promise<EventOf<'approval_request'>> => {
    await session.until(() => ofType(session.events, 'approval_request').length > nth)
    const found = ofType(session.events, 'approval_request')[nth]
    if (!found) throw new Error('no request')
    return found
  }

  const outcomes = (session: Live) =>
    ofType(session.events, 'approval_resolved').map(({ action, outcome }) => [action, outcome])

  const results = (session: Live) =>
    ofType(session.events, 'tool_result').map(({ message }) => message)

  const allowed = ['2.1.325/bi-allow', '2.1.325/bi-allow-noinput', '2.1.325/bi-perm-twice']
  test.each(allowed)('%s: allowed', async (name) => {
    const session = open(name)
    await session.prompt('scenario:denied go')
    const { approvalId, toolName, args } = await asked(session)
    expect(toolName).toBe('Bash')
    expect(args).toMatchObject({ command: 'touch created-by-denied.txt' })
    session.answer(approvalId, { action: 'allow' })
    expect(session.answer(approvalId, { action: 'deny', message: 'late no' })).toBe(false)
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(outcomes(session)).toEqual([['allow', 'answered']])
    expect(results(session)).toMatchObject([{ isError: false }])
  })

  test('2.1.325/bi-allow-updated: allowed with another input', async () => {
    const session = open('2.1.325/bi-allow-updated')
    await session.prompt('scenario:denied go')
    const { approvalId } = await asked(session)
    const updatedInput = { command: 'touch renamed-by-host.txt', description: 'Create a file' }
    session.answer(approvalId, { action: 'allow', updatedInput })
    await ended(session)
    expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ updatedInput }])
    await session.run('scenario:denied again')
    expect(ofType(session.events, 'agent_end')).toHaveLength(2)
  })

  test('2.1.325/bi-perm-parallel: one denied with a message, the next allowed', async () => {
    const session = open('2.1.325/bi-perm-parallel')
    await session.prompt('scenario:denied2 go')
    const first = await asked(session)
    session.answer(first.approvalId, { action: 'deny', message: 'first one refused' })
    const second = await asked(session, 1)
    session.answer(second.approvalId, { action: 'allow' })
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(results(session)).toMatchObject([
      { isError: true, content: [{ text: 'first one refused' }] },
      { isError: false },
    ])
  })

  test('2.1.325/bi-perm-agents: two subagents ask at once', async () => {
    const session = open('2.1.325/bi-perm-agents')
    await session.prompt('scenario:agentperm2 go')
    const [first, second] = [await asked(session), await asked(session, 1)]
    expect(session.pendingApprovals()).toHaveLength(2)
    for (const { approvalId } of [second, first]) session.answer(approvalId, { action: 'allow' })
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(ofType(session.events, 'subagent_end')).toHaveLength(2)
  })

  test('2.1.325/bi-perm-parallel-read: three in a row', async () => {
    const session = open('2.1.325/bi-perm-parallel-read')
    await session.prompt('scenario:permmix go')
    for (const nth of [0, 1, 2])
      session.answer((await asked(session, nth)).approvalId, { action: 'allow' })
    expect(await ended(session)).toMatchObject({ stopReason: 'stop' })
    expect(outcomes(session)).toEqual(Array(3).fill(['allow', 'answered']))
  })

  test('2.1.212/bi-deny-interrupt: denied, and the run with it', async () => {
    const session = open('2.1.212/bi-deny-interrupt')
    await session.prompt('scenario:denied go')
    const { approvalId } = await asked(session)
    session.answer(approvalId, { action: 'deny', message: 'Stop here.' })
    await session.abort()
    expect(await ended(session)).toMatchObject({ stopReason: 'aborted' })
    expect(outcomes(session)).toEqual([['deny', 'answered']])
  })

  test('2.1.325/bi-ask: a question to the person, answered', async () => {
    const session = open('2.1.325/bi-ask')
    await session.prompt('scenario:ask go')
    const { approvalId, kind, questions } = await asked(session)
    expect(kind).toBe('question')
    expect(questions).toMatchObject([{ question: 'Which colour?' }])
    session.answer(approvalId, { action: 'allow', answers: { 'Which colour?': ['Blue'] } })
    await ended(session)
    expect(JSON.stringify(results(session))).toContain('Blue')
  })

  const streamed = ['2.0.77/bi-interrupt-stream', '2.1.212/bi-interrupt-stream']
  test.each([...streamed, '2.1.325/bi-interrupt-stream'])('%s: aborted in text', async (name) => {
    const session = open(name)
    await session.prompt('scenario:slow go')
    await session.until((event) => event.type === 'message_update')
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    const next = await session.run('scenario:text after interrupt')
    expect(textOf(next)).not.toBe('')
  })

  test('2.1.325/bi-interrupt-tool: aborted in a tool', async () => {
    const session = open('2.1.325/bi-interrupt-tool')
    await session.prompt('scenario:slowtool go')
    await session.until((event) => event.type === 'tool_execution_start')
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(results(session)).toMatchObject([{ isError: true }])
    await session.run('scenario:text after interrupt')
  })

  test('2.1.325/bi-retry-interrupt: aborted while it waits to try again', async () => {
    const session = open('2.1.325/bi-retry-interrupt')
    await session.prompt('scenario:exhaust500 go')
    await session.until((event) => event.type === 'auto_retry_start')
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  const asking = ['2.0.77/bi-perm-interrupt', '2.1.212/bi-perm-interrupt']
  test.each([...asking, '2.1.325/bi-perm-interrupt'])('%s: aborted when asked', async (name) => {
    const session = open(name)
    await session.prompt('scenario:denied go')
    const { approvalId } = await asked(session)
    await session.abort()
    expect(session.answer(approvalId, { action: 'allow' })).toBe(false)
    expect(outcomes(session)).toEqual([['deny', 'cancelled']])
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    await session.run('scenario:text after')
    await close()
    close = async () => {}
    // The refusal is for agents that still wait for it; this one has taken its question back.
    expect(arrived).toEqual(['prompt', 'interrupt', `answer ${approvalId}`, 'prompt'])
  })

  const bursts = ['2.0.77/bi-queue-burst', '2.1.212/bi-queue-burst', '2.1.325/bi-queue-burst']
  test.each(bursts)('%s: two more while it works', async (name) => {
    const session = open(name)
    await session.prompt('scenario:text one')
    await session.steer('scenario:text two')
    await session.steer('scenario:text three')
    const said = () =>
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
    expect(said().length).toBeGreaterThanOrEqual(3)
    expect(session.isBusy()).toBe(false)
  })

  test('2.1.325/bi-queue-text: steered while text streams, it is taken afterwards', async () => {
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
