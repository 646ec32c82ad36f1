import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { AgentEvent, ApprovalMode, StampedEvent } from '../../../src/events/types.ts'
import type { SessionDeps } from '../../../src/session/conversation/session-deps.ts'
import { claudeSetup } from '../../agents/claude.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { deltasOf, ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const { setup: available, ...absent } = claudeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code: ${absent.reason}`)

const remember = { scope: 'session', rule: { tool: 'Bash', pattern: 'touch *' } } as const

/** Claude Code requests no approval for commands that only read: these write. */
const touching = (...names: string[]): Script => ({
  steps: [
    {
      kind: 'reply',
      blocks: names.map((name) => ({
        type: 'tool_use',
        name: 'bash',
        input: { command: `touch ${name}` },
      })),
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['It', ' ran.'] }] },
  ],
})

/** The real Claude Code, if it is installed, with a scripted model. */
describe.skipIf(!available)('a session with Claude Code', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: AgentSetup
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    const more = { touch: touching('one.txt'), touches: touching('one.txt', 'two.txt') }
    model = await startModel({ ...scripts, ...more })
    const found = claudeSetup(model.url).setup
    if (!found) throw new Error('CLAUDE_BIN went away')
    setup = found
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (deps: Partial<SessionDeps> = {}, policy: ApprovalMode = 'ask') => {
    const options = { agent: claude, setup, model: 'claude-sonnet-4-5', deps, policy }
    const session = openLiveSession(options)
    open.push(session)
    return session
  }
  const exists = (name: string) => existsSync(join(setup.cwd, name))
  const isEnd = (event: AgentEvent) => event.type === 'agent_end'

  test('answers each prompt with one run', async () => {
    const session = live()
    const first = await session.run('scenario:text please')
    expect(textOf(first)).toBe('Hello from the model.')
    const second = await session.run('scenario:tool please')
    expect(ofType(second, 'tool_call')).toHaveLength(1)
    expect(second.at(-2)).toMatchObject({ type: 'turn_state', newState: 'turn_finished' })
    expect(second.at(-1)).toMatchObject({ type: 'agent_end' })
    expect(ofType(session.events, 'session_start')).toHaveLength(1)
    expect(ofType(session.events, 'usage_update').at(-1)?.totals.costUsd).toBeGreaterThan(0)
  })

  test('is busy during a run: it refuses a second prompt and delivers a steering message', async () => {
    const session = live({}, 'allow')
    await session.prompt('scenario:parallel please')
    await session.until((event) => event.type === 'tool_execution_start')
    expect(await session.prompt('scenario:text please')).toMatchObject({ outcome: 'busy' })
    expect(await session.steer('scenario:text instead')).toEqual({ outcome: 'accepted' })
    await session.until(
      (event) => event.type === 'queue_update' && event.queued.steering.length === 0,
    )
    await session.idle()
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.steering)
    expect(queued).toEqual([['scenario:text instead'], []])
    expect(JSON.stringify(model.requests)).toContain('scenario:text instead')
  })

  test('a follow-up starts when the run has ended', async () => {
    const session = live()
    await session.prompt('scenario:tool please')
    await session.until((event) => event.type === 'agent_start')
    await session.followUp('scenario:text please')
    const first = await session.until(isEnd)
    await session.until(isEnd, session.events.indexOf(first) + 1)
    expect(textOf(session.events)).toContain('Hello from the model.')
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.followUp).toEqual([])
  })

  test('a queued message can be sent into the run, and removed if Claude Code gives it back', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => deltasOf([event]).length > 0)
    await session.followUp('scenario:text please')
    const [waiting] = await session.queuedMessages()
    const id = waiting?.id ?? ''
    expect(waiting).toEqual({
      id,
      kind: 'follow_up',
      text: 'scenario:text please',
      state: 'waiting',
    })
    expect(await session.sendQueued(id)).toEqual({ outcome: 'accepted' })
    expect(await session.queuedMessages()).toMatchObject([{ id, kind: 'steer', state: 'sent' }])
    const { outcome } = await session.removeQueued(id)
    // Old versions do not give it back.
    expect(await session.queuedMessages()).toHaveLength(outcome === 'accepted' ? 0 : 1)
    expect(['accepted', 'already_sent']).toContain(outcome)
    await session.abort()
  })

  test('abort stops a text, and the session continues', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => deltasOf([event]).length > 0)
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
  })

  test('abort leaves queued messages in the queue and starts no run for them', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => deltasOf([event]).length > 0)
    await session.steer('scenario:slow instead')
    await session.abort()
    const [last] = ofType(session.events, 'queue_update').slice(-1)
    expect(last?.queued.followUp).toEqual(['scenario:slow instead'])
    // It has read all that came before when it answers this. Versions before 2.1 begin all the same,
    // and are stopped once more.
    await session.setName('Stopped')
    for (const { stopReason } of ofType(session.events, 'agent_end'))
      expect(stopReason).toBe('aborted')
  })

  test('abort stops a tool', async () => {
    const session = live({}, 'allow')
    await session.prompt('scenario:slow-tool please')
    await session.until((event) => event.type === 'tool_execution_start')
    await session.abort()
    expect(ofType(session.events, 'tool_execution_end')).toHaveLength(1)
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  test('abort stops the wait for a retry', async () => {
    const session = live()
    await session.prompt('scenario:exhaust please')
    // Old versions do not report their retries.
    while (model.requests.every(({ kind }) => kind !== 'error'))
      await new Promise((resolve) => setImmediate(resolve))
    await session.abort()
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  describe('requests approval before a tool runs', () => {
    const openRequest = async (scenario: string, deps: Partial<SessionDeps> = {}) => {
      const session = live(deps)
      await session.prompt(`scenario:${scenario} please`)
      const request = await session.until((event) => event.type === 'approval_request')
      if (request.type !== 'approval_request') throw new Error('no request')
      return { session, request }
    }

    test('a tool that is allowed runs', async () => {
      const { session, request } = await openRequest('touch')
      expect(request).toMatchObject({ toolName: 'Bash', args: { command: 'touch one.txt' } })
      expect(session.answer(request.approvalId, { action: 'allow', by: 'me' })).toBe(true)
      expect(session.answer(request.approvalId, { action: 'deny' })).toBe(false)
      await session.until(isEnd)
      expect(exists('one.txt')).toBe(true)
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([
        { outcome: 'answered', by: 'me' },
      ])
    })

    test('the model gets the reason for a denial', async () => {
      const { session, request } = await openRequest('touch')
      session.answer(request.approvalId, { action: 'deny', message: 'Not today.' })
      await session.until(isEnd)
      const [result] = ofType(session.events, 'tool_result')
      expect(result?.message).toMatchObject({ isError: true, content: [{ text: 'Not today.' }] })
      expect(ofType(session.events, 'approval_resolved')).toHaveLength(1)
      expect(exists('one.txt')).toBe(false)
    })

    test('an allowed tool runs with the input from the decision', async () => {
      const { session, request } = await openRequest('touch')
      const updatedInput = { command: 'touch rewritten.txt' }
      session.answer(request.approvalId, { action: 'allow', updatedInput })
      await session.until(isEnd)
      expect([exists('one.txt'), exists('rewritten.txt')]).toEqual([false, true])
    })

    test('of two parallel calls, one is allowed and one denied', async () => {
      const { session, request } = await openRequest('touches')
      // The other way round, 2.1.160 cancels the second because the first was denied.
      session.answer(request.approvalId, { action: 'allow' })
      const other = await session.until(
        (event) => event.type === 'approval_request' && event.approvalId !== request.approvalId,
      )
      if (other.type === 'approval_request')
        session.answer(other.approvalId, { action: 'deny', message: 'Not this one.' })
      await session.until(isEnd)
      expect([exists('one.txt'), exists('two.txt')].toSorted()).toEqual([false, true])
    })

    test('a command that is allowed for the session needs no second approval', async () => {
      const { session, request } = await openRequest('touches')
      session.answer(request.approvalId, { action: 'allow', remember })
      await session.until(isEnd)
      const outcomes = ofType(session.events, 'approval_resolved').map(({ outcome }) => outcome)
      expect(outcomes).toEqual(['answered', 'policy'])
      expect([exists('one.txt'), exists('two.txt')]).toEqual([true, true])
    })

    test('a request without an answer in time is denied', async () => {
      const { session } = await openRequest('touch', { approvalMs: 50 })
      await session.until(isEnd)
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'expired' }])
      expect(exists('one.txt')).toBe(false)
    })

    test('abort while a request is open ends the request and the run', async () => {
      const { session } = await openRequest('touch')
      const { length } = model.requests
      await session.abort()
      expect(model.requests).toHaveLength(length)
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
      expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
      expect(session.isBusy()).toBe(false)
      expect(exists('one.txt')).toBe(false)
    })
  })

  test('when the agent dies, its run is closed, and the next prompt continues the conversation', async () => {
    const session = live()
    await session.run('scenario:text please')
    await session.prompt('scenario:slow please')
    // Well into its text: 2.1.160 stores messages a tenth of a second late.
    await session.until(hasWord(8), session.events.length)
    const [pid] = session.changes.flatMap((change) => ('pid' in change ? [change.pid] : []))
    process.kill(Number(pid), 'SIGKILL')
    const from = session.events.length
    await session.until(isEnd, from)
    expect(ofType(session.events, 'error')[0]).toMatchObject({ code: 'agent_exit' })
    expect(ofType(session.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
    const before = model.requests.length
    await session.run('scenario:text again')
    // Not the last one: some versions look whether there is a network.
    expect(JSON.stringify(model.requests.slice(before))).toContain('scenario:text please')
    await session.prompt('scenario:tool please')
    expect(await session.steer('scenario:text once more')).toEqual({ outcome: 'accepted' })
    await session.until(
      (event) => event.type === 'queue_update' && event.queued.steering.length === 0,
    )
    await session.idle()
  })
})

/** Whether an event has the nth word of the agent’s text. */
const hasWord =
  (count: number) =>
  (event: StampedEvent): boolean =>
    event.type === 'message_update' &&
    event.assistantMessageEvent.type === 'text_delta' &&
    event.assistantMessageEvent.delta.includes(`word${count}`)
