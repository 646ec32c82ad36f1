import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { BusReport } from '../../../src/bus/bus.ts'
import { createLocalBus } from '../../../src/bus/local.ts'
import type { BusMessage } from '../../../src/bus/subjects/table.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import type { SessionLifecycleEvent } from '../../../src/session/registry/sessions.ts'
import { all } from '../../log/samples.ts'
import {
  type DemoSessionsOptions,
  dataDirectory,
  openDemoSessions,
} from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'

/** Sessions with a bus, and all messages that were published on it. */
const open = async (more: Partial<DemoSessionsOptions> = {}) => {
  const messages: BusMessage[] = []
  const reports: BusReport[] = []
  const bus = createLocalBus({ onError: (report) => reports.push(report) })
  onTestFinished(() => bus.close())
  bus.on('>', (message) => void messages.push(message), { limit: 100_000 })
  const sessions = await openDemoSessions({ directory: dataDirectory(), bus, ...more })
  const published = <Subject extends BusMessage['subject']>(subject: Subject) =>
    messages.filter(
      (message): message is Extract<BusMessage, { subject: Subject }> =>
        message.subject === subject,
    )
  return { ...sessions, bus, messages, reports, published }
}

describe('the bus of sessions', () => {
  test('gets every stored event in order, also in the namespace of the agent', async () => {
    const { createDemoSession, log, close, messages, published } = await open()
    const { record, session } = await createDemoSession()
    await session.prompt('tool')
    await session.idle()
    await session.prompt('think')
    await session.idle()
    await session.stop()
    await eventually(() => expect(published('session.ended')).toHaveLength(1))
    const stored = await all(log.read(record.id, 0))
    expect(published('session.event').map(({ payload }) => payload)).toEqual(stored)

    expect(messages[0]).toMatchObject({
      subject: 'session.created',
      payload: { sessionId: record.id, agent: 'demo', state: 'idle', model: 'demo-script' },
    })
    expect(messages.at(-1)).toMatchObject({
      subject: 'session.ended',
      payload: { sessionId: record.id, reason: 'stopped' },
    })
    // The first message of each subject is enough to show the order. The agent’s own lines do not
    // wait for the log, so their place among the others is not certain.
    const firsts = [...new Set(messages.map(({ subject }) => subject))].filter(
      (subject) => subject !== 'adapter:demo.sdk.event',
    )
    expect(firsts).toEqual([
      'session.created',
      'session.event',
      'session.updated',
      'adapter:demo.agent_started',
      'adapter:demo.turn.state_changed',
      'adapter:demo.turn.turn_started',
      'adapter:demo.message_complete',
      'adapter:demo.turn.step_started',
      'adapter:demo.text_delta',
      'adapter:demo.text_complete',
      'adapter:demo.usage',
      'approval.requested',
      'approval.resolved',
      'adapter:demo.tool_started',
      'adapter:demo.tool_completed',
      'adapter:demo.turn.step_finished',
      'adapter:demo.turn.turn_finished',
      'adapter:demo.agent_complete',
      'adapter:demo.thinking_delta',
      'adapter:demo.thinking_complete',
      'session.ended',
    ])
    const states = published('session.updated').flatMap(({ payload }) => payload.state ?? [])
    expect(states).toEqual(['running', 'idle', 'running', 'idle'])
    const [complete] = published('adapter:demo.agent_complete')
    expect(complete?.payload).toMatchObject({ text: expect.any(String), sessionId: record.id })
    await close()
  })

  test('gets every line of the agent in its own format', async () => {
    const { createDemoSession, log, close, published } = await open()
    const { record, session } = await createDemoSession()
    await session.prompt('think')
    await session.idle()
    const stored = await all(log.read(record.id, 0))
    await close()
    const lines = published('adapter:demo.sdk.event').map(({ payload }) => payload)
    // The demo prints events. The recorder joins deltas, so only their text is the same.
    const textOf = (events: readonly object[]) =>
      JSON.stringify(events)
        .match(/"delta":"[^"]*"/g)
        ?.map((delta) => delta.slice(9, -1))
        .join('')
    expect(textOf(lines)).toContain('I have nothing to think about.')
    expect(textOf(lines)).toBe(textOf(stored))
    expect(lines.map(({ type }) => type)).toContain('reply')
    expect(lines.every(({ sessionId }) => sessionId === record.id)).toBe(true)
  })

  test('a responder for all agents decides where the agent’s own has none', async () => {
    const { createDemoSession, bus, close, published } = await open({ policy: 'ask' })
    const everyAgent = vi.fn(() => ({ action: 'deny' as const, message: 'By all.' }))
    bus.respond('agent.toolApprove', everyAgent)
    const { record, session } = await createDemoSession()
    await session.prompt('tool')
    await session.idle()
    expect(everyAgent).toHaveBeenCalledTimes(1)
    expect(everyAgent).toHaveBeenCalledWith(
      expect.objectContaining({ sessionId: record.id, adapterName: 'demo' }),
      expect.anything(),
    )
    bus.respond('adapter:demo.tool_approval', () => ({ action: 'deny', message: 'By one.' }))
    await session.prompt('tool')
    await session.idle()
    await close()
    expect(everyAgent).toHaveBeenCalledTimes(1)
    const messages = published('approval.resolved').map(({ payload }) => payload.message)
    expect(messages).toEqual(['By all.', 'By one.'])
  })

  test('gets approval requests; its answers count like any other', async () => {
    const { createDemoSession, bus, close, published } = await open({ policy: 'ask' })
    const requests: unknown[] = []
    bus.respond('adapter:demo.tool_approval', (request) => {
      requests.push(request)
      return { action: 'deny', message: 'Not from here.' }
    })
    const { record, session } = await createDemoSession()
    await session.prompt('tool')
    await session.idle()
    expect(requests).toMatchObject([
      {
        adapterName: 'demo',
        adapterSessionId: expect.stringMatching(/^demo-/),
        sessionId: record.id,
        toolCallId: expect.any(String),
        toolName: expect.any(String),
        args: { command: expect.any(String) },
      },
    ])
    await close()
    expect(published('approval.resolved').map(({ payload }) => payload)).toMatchObject([
      { action: 'deny', outcome: 'answered', by: 'bus', message: 'Not from here.' },
    ])
  })

  test('an approval request is withdrawn when somebody answers it elsewhere', async () => {
    const { createDemoSession, bus, close, published } = await open({ policy: 'ask' })
    const { promise: withdrawn, resolve } = Promise.withResolvers<unknown>()
    bus.respond(
      'adapter:demo.tool_approval',
      (_, { signal }) =>
        new Promise((_answer, reject) => {
          signal.addEventListener('abort', () => {
            resolve(signal.reason)
            reject(new Error('too late'))
          })
        }),
    )
    const { session } = await createDemoSession()
    await session.prompt('tool')
    const [request] = await eventually(() => {
      expect(session.pendingApprovals()).toHaveLength(1)
      return session.pendingApprovals()
    })
    await eventually(() => expect(published('approval.requested')).toHaveLength(1))
    expect(session.answer(request?.approvalId ?? '', { action: 'allow', by: 'me' })).toBe(true)
    expect(await withdrawn).toBe('closed')
    await session.idle()
    await close()
    expect(published('approval.resolved').map(({ payload }) => payload.by)).toEqual(['me'])
  })

  test('gets no request that a policy has decided', async () => {
    const { createDemoSession, bus, close } = await open({ policy: 'allow' })
    const responder = vi.fn(() => ({ action: 'deny' as const }))
    bus.respond('adapter:demo.tool_approval', responder)
    const { session } = await createDemoSession()
    await session.prompt('tool')
    await session.idle()
    await close()
    expect(responder).not.toHaveBeenCalled()
  })

  test('listeners that throw and slow subscribers do not affect a session', async () => {
    const causes: unknown[] = []
    const { createDemoSession, bus, log, close, reports, published } = await open({
      publish() {
        throw new Error('from publish')
      },
      onSession() {
        throw new Error('from onSession')
      },
      onError: (cause) => causes.push(cause),
    })
    bus.on('session.event', () => {
      throw new Error('from a handler')
    })
    const { promise: never, resolve } = Promise.withResolvers<void>()
    const ended: string[] = []
    bus.on('session.event', () => never, { limit: 4, onEnd: (reason) => ended.push(reason) })
    const { record, session } = await createDemoSession()
    await session.prompt('think')
    await session.idle()
    await close()
    resolve()
    const stored = published('session.event')
    expect(stored.at(-1)?.payload.seq).toBe(stored.length)
    expect(stored.length).toBeGreaterThan(10)
    expect(ended).toEqual(['slow_subscriber'])
    expect(new Set(reports.map(({ code }) => code))).toEqual(
      new Set(['handler_failed', 'slow_subscriber']),
    )
    expect(new Set(causes.map(String))).toEqual(
      new Set(['Error: from publish', 'Error: from onSession']),
    )
    await expect(log.head(record.id)).rejects.toMatchObject({ code: 'closed' })
  })

  test.each(['stopped', 'idle', 'agent_gone', 'removed'] as const)(
    'reports that an agent ended: %s',
    async (reason) => {
      const { createDemoSession, log, remove, close, published } = await open({
        idleMs: reason === 'idle' ? 20 : 60_000,
        pace: reason === 'agent_gone' ? 5 : 0,
      })
      const { record, session } = await createDemoSession()
      await session.prompt(reason === 'agent_gone' ? 'long' : 'think')
      const { pid } = (await log.sessions.get(record.id)) ?? {}
      if (reason === 'agent_gone') process.kill(pid ?? 0, 'SIGKILL')
      await session.idle()
      if (reason === 'stopped') await session.stop()
      if (reason === 'removed') await remove(record.id)
      await eventually(() => expect(published('session.ended')).toHaveLength(1))
      expect(published('session.ended')[0]?.payload).toEqual({
        sessionId: record.id,
        timestamp: expect.any(Number),
        reason,
        ...(reason === 'agent_gone' && { errorMessage: expect.stringContaining('SIGKILL') }),
      })
      const last = published('session.event').at(-1)?.payload.seq
      expect(last).toBe(reason === 'removed' ? last : await log.head(record.id))
      await close()
      expect(published('session.ended')).toHaveLength(1)
    },
  )

  test('onSession gets each stored change of a session with its record', async () => {
    const changes: SessionLifecycleEvent[] = []
    const { createDemoSession, remove, close } = await open({
      onSession: (change) => changes.push(change),
    })
    const { record, session } = await createDemoSession()
    expect(changes).toEqual([{ type: 'session_created', session: record }])
    await session.prompt('think')
    await session.idle()
    await remove(record.id)
    await close()
    const states = changes.flatMap((change) =>
      change.type === 'session_updated' ? [change.session.state] : [],
    )
    expect(states).toContain('running')
    expect(states.at(-1)).toBe('idle')
    expect(changes.findLast(({ type }) => type === 'session_updated')).toMatchObject({
      session: { nativeId: expect.stringMatching(/^demo-/) },
    })
    expect(changes.at(-1)).toEqual({ type: 'session_removed', sessionId: record.id })
  })

  test('a run that is closed after a crash is published with the messages that it had', async () => {
    const directory = dataDirectory()
    const first = await openDemoSessions({ directory, pace: 5, onError() {} })
    const { record, session } = await first.createDemoSession()
    const stored: StampedEvent[] = []
    await session.prompt('long')
    await eventually(async () => {
      for await (const event of first.log.read(record.id, stored.length)) stored.push(event)
      expect(stored.some(({ type }) => type === 'message_update')).toBe(true)
    })
    // Closing the log is as near as a test gets to a crash of its own process.
    await first.log.close()
    await first.close().catch(() => {})

    const { close, published, log } = await open({ directory })
    await eventually(() => expect(published('adapter:demo.agent_complete')).toHaveLength(1))
    const [complete] = published('adapter:demo.agent_complete')
    expect(complete?.payload).toMatchObject({ interrupted: true, stopReason: 'interrupted' })
    expect(complete?.payload.messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
    expect(published('session.event').at(-1)?.payload.seq).toBe(await log.head(record.id))
    await close()
  })
})
