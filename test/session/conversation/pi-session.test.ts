import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import type { SessionDeps } from '../../../src/session/conversation/session-deps.ts'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

/** Real Pi processes in RPC mode, with a scripted model. */
describe.each(['0.73', '0.87'] as const)('a session with pi %s', (version) => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup(version, model.url)
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (deps: Partial<SessionDeps> = {}) => {
    const session = openLiveSession({ agent: pi, setup, model: 'fake/fake-sonnet', deps })
    open.push(session)
    return session
  }

  test('an error that is not retried ends the run', async () => {
    const session = live()
    const events = await session.run('scenario:error please')
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'error' })
    expect(session.isBusy()).toBe(false)
    expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
  })

  test('answers each prompt with one run', async () => {
    const session = live()
    const first = await session.run('scenario:text please')
    expect(textOf(first)).not.toBe('')
    const second = await session.run('scenario:tool please')
    expect(ofType(second, 'tool_call')).toHaveLength(1)
    expect(second.at(-2)).toMatchObject({ type: 'turn_state', newState: 'turn_finished' })
    expect(second.at(-1)).toMatchObject({ type: 'agent_end' })
    expect(ofType(session.events, 'session_start')).toHaveLength(1)
    const prompts = ofType(session.events, 'message_end').filter(
      ({ message }) => message.role === 'user',
    )
    expect(prompts.map(({ message }) => message.delivery)).toEqual(['sent', 'sent'])
    expect(ofType(session.events, 'message_delivery').map(({ state }) => state)).toEqual([
      'taken',
      'taken',
    ])
    expect(second.find(({ type }) => type.startsWith('message'))).toMatchObject({
      messageRole: 'user',
    })
  })

  test('a prompt is shown while Pi starts', async () => {
    const session = live()
    const prompted = session.prompt('scenario:text please')
    await session.until(({ type }) => type === 'message_end')
    expect(session.events.map(({ type }) => type)).toEqual([
      'session_start',
      'agent_start',
      'turn_state',
      'message_start',
      'message_end',
    ])
    expect(await prompted).toEqual({ outcome: 'accepted' })
    await session.idle()
  })

  test('is busy during a run: it refuses a second prompt and delivers a steering message', async () => {
    const session = live()
    await session.prompt('scenario:parallel please')
    await session.until((event) => event.type === 'tool_execution_start')
    expect(await session.prompt('scenario:text please')).toMatchObject({ outcome: 'busy' })
    expect(await session.steer('scenario:text instead')).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'agent_end')
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.steering)
    expect(queued).toEqual([['scenario:text instead'], []])
  })

  test('a follow-up starts when the run has ended', async () => {
    const session = live()
    await session.prompt('scenario:tool please')
    await session.until((event) => event.type === 'agent_start')
    await session.followUp('scenario:text please')
    await session.idle()
    const userMessages = ofType(session.events, 'message_end').filter(
      ({ message }) => message.role === 'user',
    )
    expect(userMessages).toHaveLength(2)
  })

  test('a steering message that Pi has not read can be removed since 0.87, and others stay', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => event.type === 'message_update')
    for (const text of ['go left', 'go right']) await session.steer(text)
    const [left, right] = await session.queuedMessages()
    expect([left, right]).toMatchObject([
      { kind: 'steer', text: 'go left', state: 'sent', id: expect.any(String) },
      { kind: 'steer', text: 'go right', state: 'sent', id: expect.any(String) },
    ])
    const result = await session.removeQueued(left?.id ?? '')
    expect(result.outcome).toBe(version === '0.73' ? 'already_sent' : 'accepted')
    const texts = version === '0.73' ? ['go left', 'go right'] : ['go right']
    await session.until(
      (event) => event.type === 'queue_update' && event.queued.steering.join() === texts.join(),
    )
    expect((await session.queuedMessages()).at(-1)).toEqual(right)
    await session.abort()
  })

  test('abort stops a text, and the session continues', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => event.type === 'message_update')
    await session.abort()
    expect(ofType(session.events, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
    expect(textOf(await session.run('scenario:text please'))).not.toBe('')
  })

  test('abort stops a tool', async () => {
    const session = live()
    await session.prompt('scenario:slow-tool please')
    await session.until((event) => event.type === 'tool_execution_update')
    await session.abort()
    expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: true })
    expect(ofType(session.events, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
  })

  test('abort stops the wait for a retry: the run ends as aborted', async () => {
    setup.remove()
    // Longer than any test: only the abort can end the wait.
    setup = piSetup(version, model.url, { retryMs: 600_000 })
    const session = live()
    await session.prompt('scenario:exhaust please')
    await session.until((event) => event.type === 'auto_retry_start')
    await session.followUp('scenario:text later')
    await session.abort()
    expect(ofType(session.events, 'auto_retry_end')[0]).toMatchObject({ success: false })
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(ofType(session.events, 'agent_end')[0]).not.toHaveProperty('errorMessage')
    expect(session.isBusy()).toBe(false)
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.followUp).toHaveLength(1)
  })

  test('changes the thinking level and the name, and compacts', async () => {
    const session = live()
    await session.run('scenario:text please')
    expect(await session.setThinking('low')).toEqual({ outcome: 'accepted' })
    expect(await session.setName('A name')).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'session_update' && event.thinkingLevel === 'low')
    await session.until((event) => event.type === 'session_update' && event.name === 'A name')
    await session.compact()
    await session.until((event) => event.type === 'compaction_end')
    // 0.87 refuses to compact one short answer; 0.73 compacts it.
    const [{ summary, errorMessage } = {}] = ofType(session.events, 'compaction_end')
    expect(summary ?? errorMessage).toEqual(expect.any(String))
  })

  test('lists its models, and changes the model by its full name or its id', async () => {
    const session = live()
    expect(await session.models()).toBeUndefined() // does not start the agent
    await session.run('scenario:text please')
    expect(await session.models()).toEqual(['fake/fake-sonnet', 'fake/fake-opus'])
    for (const [name, model] of [
      ['fake-opus', 'fake-opus'],
      ['fake/fake-sonnet', 'fake-sonnet'],
    ] as const) {
      const from = session.events.length
      expect(await session.setModel(name)).toEqual({ outcome: 'accepted' })
      await session.until((event) => event.type === 'session_update' && event.model === model, from)
    }
    expect(await session.setModel('fake-haiku')).toEqual({
      outcome: 'refused',
      error: 'Pi has no model “fake-haiku”.',
    })
    expect(ofType(session.events, 'error')).toEqual([])
  })

  describe('requests approval before a tool runs', () => {
    const openRequest = async (scenario: string, deps: Partial<SessionDeps> = {}) => {
      const session = live({ requestApprovals: true, ...deps })
      await session.prompt(`scenario:${scenario} please`)
      const request = await session.until((event) => event.type === 'approval_request')
      if (request.type !== 'approval_request') throw new Error('no request')
      return { session, request }
    }

    test('a tool that is allowed runs; the request names the call', async () => {
      const { session, request } = await openRequest('tool')
      expect(request).toMatchObject({ toolName: 'bash', toolCallId: expect.any(String) })
      expect(session.answer(request.approvalId, { action: 'allow', by: 'me' })).toBe(true)
      expect(session.answer(request.approvalId, { action: 'deny' })).toBe(false)
      await session.until((event) => event.type === 'agent_end')
      expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: false })
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([
        { outcome: 'answered', by: 'me' },
      ])
    })

    test('the model gets the reason for a denial', async () => {
      const { session, request } = await openRequest('tool')
      session.answer(request.approvalId, { action: 'deny', message: 'Not today.' })
      await session.until((event) => event.type === 'agent_end')
      const [result] = ofType(session.events, 'tool_result')
      expect(result?.message).toMatchObject({ isError: true, content: [{ text: 'Not today.' }] })
    })

    test('an allowed tool runs with the input from the decision', async () => {
      const { session, request } = await openRequest('tool')
      const updatedInput = { command: 'echo rewritten > rewritten.txt' }
      session.answer(request.approvalId, { action: 'allow', updatedInput })
      await session.until((event) => event.type === 'agent_end')
      expect(existsSync(join(setup.cwd, 'rewritten.txt'))).toBe(true)
    })

    test('a command that is allowed for the session needs no second approval', async () => {
      const { session, request } = await openRequest('tool')
      const rule = { tool: 'bash', pattern: 'echo *' }
      session.answer(request.approvalId, { action: 'allow', remember: { scope: 'session', rule } })
      await session.until((event) => event.type === 'agent_end')
      await session.run('scenario:tool again')
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([
        { outcome: 'answered' },
        {
          outcome: 'policy',
          by: 'rule',
          message: 'Allowed by a rule of this session: bash: echo *',
        },
      ])
    })

    test('a request without an answer in time is denied', async () => {
      const { session } = await openRequest('tool', { approvalMs: 50 })
      await session.until((event) => event.type === 'agent_end')
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'expired' }])
      expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: true })
    })

    test('abort while a request is open ends both, and the model is not called again', async () => {
      const { session } = await openRequest('tool')
      const { length } = model.requests
      await session.abort()
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
      expect(ofType(session.events, 'tool_execution_end')).toMatchObject([{ isError: true }])
      expect(session.isBusy()).toBe(false)
      expect(model.requests).toHaveLength(length)
    })
  })

  test('when Pi dies, its run is closed, and the next prompt continues the conversation', async () => {
    const session = live()
    await session.run('scenario:text please')
    await session.prompt('scenario:slow please')
    await session.until((event) => event.type === 'message_update', session.events.length)
    const [pid] = session.changes.flatMap((change) => ('pid' in change ? [change.pid] : []))
    process.kill(Number(pid), 'SIGKILL')
    const from = session.events.length
    await session.until((event) => event.type === 'agent_end', from)
    expect(ofType(session.events, 'error')[0]).toMatchObject({ code: 'agent_exit' })
    expect(ofType(session.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
    await session.run('scenario:text again')
    expect(JSON.stringify(model.requests.at(-1))).toContain('scenario:slow please')
  })
})
