import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { BusReport } from '../../../src/bus/bus.ts'
import { createLocalBus } from '../../../src/bus/local.ts'
import type { BusMessage } from '../../../src/bus/subjects/table.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import type { SessionLifecycleEvent } from '../../../src/session/registry/sessions.ts'
import { all } from '../../log/samples.ts'
import { type DemoSessions, dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { patiently } from '../../support/patiently.ts'

/** Sessions with a bus, and all that was told on it. */
const open = async (more: Partial<DemoSessions> = {}) => {
  const messages: BusMessage[] = []
  const reports: BusReport[] = []
  const bus = createLocalBus({ onError: (report) => reports.push(report) })
  onTestFinished(() => bus.close())
  bus.on('>', (message) => void messages.push(message), { limit: 100_000 })
  const sessions = await openDemoSessions({ directory: dataDirectory(), bus, ...more })
  const told = <Subject extends BusMessage['subject']>(subject: Subject) =>
    messages.filter(
      (message): message is Extract<BusMessage, { subject: Subject }> =>
        message.subject === subject,
    )
  return { ...sessions, bus, messages, reports, told }
}

describe('a bus over sessions', () => {
  test('hears every stored event in order, and what it means in the agent’s own namespace', async () => {
    const { begin, log, close, messages, told } = await open()
    const { record, session } = await begin()
    await session.prompt('tool')
    await session.idle()
    await session.prompt('think')
    await session.idle()
    await session.stop()
    await patiently(() => expect(told('session.ended')).toHaveLength(1))
    const stored = await all(log.read(record.id, 0))
    expect(told('session.event').map(({ payload }) => payload)).toEqual(stored)

    expect(messages[0]).toMatchObject({
      subject: 'session.created',
      payload: { sessionId: record.id, agent: 'demo', state: 'idle', model: 'demo-script' },
    })
    expect(messages.at(-1)).toMatchObject({
      subject: 'session.ended',
      payload: { sessionId: record.id, reason: 'stopped' },
    })
    // The first of each subject shows the order; how many there are is the events’ business.
    const firsts = [...new Set(messages.map(({ subject }) => subject))]
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
      'adapter:demo.turn.step_finished',
      'approval.requested',
      'approval.resolved',
      'adapter:demo.tool_started',
      'adapter:demo.tool_completed',
      'adapter:demo.agent_complete',
      'adapter:demo.turn.turn_finished',
      'adapter:demo.thinking_delta',
      'adapter:demo.thinking_complete',
      'session.ended',
    ])
    const states = told('session.updated').flatMap(({ payload }) => payload.state ?? [])
    expect(states).toEqual(['running', 'idle', 'running', 'idle'])
    const [complete] = told('adapter:demo.agent_complete')
    expect(complete?.payload).toMatchObject({ text: expect.any(String), sessionId: record.id })
    await close()
  })

  test('asks before a tool runs; the answer from there counts like any other', async () => {
    const { begin, bus, close, told } = await open({ policy: 'ask' })
    const asked: unknown[] = []
    bus.respond('adapter:demo.tool_approval', (request) => {
      asked.push(request)
      return { action: 'deny', message: 'Not from here.' }
    })
    const { record, session } = await begin()
    await session.prompt('tool')
    await session.idle()
    expect(asked).toMatchObject([
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
    expect(told('approval.resolved').map(({ payload }) => payload)).toMatchObject([
      { action: 'deny', outcome: 'answered', by: 'bus', message: 'Not from here.' },
    ])
  })

  test('answered elsewhere, the question is taken back from the bus', async () => {
    const { begin, bus, close, told } = await open({ policy: 'ask' })
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
    const { session } = await begin()
    await session.prompt('tool')
    const [request] = await patiently(() => {
      expect(session.pendingApprovals()).toHaveLength(1)
      return session.pendingApprovals()
    })
    await patiently(() => expect(told('approval.requested')).toHaveLength(1))
    expect(session.answer(request?.approvalId ?? '', { action: 'allow', by: 'me' })).toBe(true)
    expect(await withdrawn).toBe('closed')
    await session.idle()
    await close()
    expect(told('approval.resolved').map(({ payload }) => payload.by)).toEqual(['me'])
  })

  test('is not asked about what a rule decides', async () => {
    const { begin, bus, close } = await open({ policy: 'allow' })
    const asked = vi.fn(() => ({ action: 'deny' as const }))
    bus.respond('adapter:demo.tool_approval', asked)
    const { session } = await begin()
    await session.prompt('tool')
    await session.idle()
    await close()
    expect(asked).not.toHaveBeenCalled()
  })

  test('a subscriber that throws, one that is slow, and a publish that throws hurt no session', async () => {
    const causes: unknown[] = []
    const { begin, bus, log, close, reports, told } = await open({
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
    const { record, session } = await begin()
    await session.prompt('think')
    await session.idle()
    await close()
    resolve()
    const stored = told('session.event')
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
    'hears that a session ended: %s',
    async (reason) => {
      const { begin, log, remove, close, told } = await open({
        idleMs: reason === 'idle' ? 20 : 60_000,
        pace: reason === 'agent_gone' ? 5 : 0,
      })
      const { record, session } = await begin()
      await session.prompt(reason === 'agent_gone' ? 'long' : 'think')
      const { pid } = (await log.sessions.get(record.id)) ?? {}
      if (reason === 'agent_gone') process.kill(pid ?? 0, 'SIGKILL')
      await session.idle()
      if (reason === 'stopped') await session.stop()
      if (reason === 'removed') await remove(record.id)
      await patiently(() => expect(told('session.ended')).toHaveLength(1))
      expect(told('session.ended')[0]?.payload).toEqual({
        sessionId: record.id,
        timestamp: expect.any(Number),
        reason,
        ...(reason === 'agent_gone' && { errorMessage: expect.stringContaining('SIGKILL') }),
      })
      const last = told('session.event').at(-1)?.payload.seq
      expect(last).toBe(reason === 'removed' ? last : await log.head(record.id))
      await close()
      expect(told('session.ended')).toHaveLength(1)
    },
  )

  test('an embedder is told of sessions with their records, once they are stored', async () => {
    const news: SessionLifecycleEvent[] = []
    const { begin, remove, close } = await open({ onSession: (each) => news.push(each) })
    const { record, session } = await begin()
    expect(news).toEqual([{ type: 'session_created', session: record }])
    await session.prompt('think')
    await session.idle()
    await remove(record.id)
    await close()
    const states = news.flatMap((each) =>
      each.type === 'session_updated' ? [each.session.state] : [],
    )
    expect(states).toContain('running')
    expect(states.at(-1)).toBe('idle')
    expect(news.findLast(({ type }) => type === 'session_updated')).toMatchObject({
      session: { nativeId: expect.stringMatching(/^demo-/) },
    })
    expect(news.at(-1)).toEqual({ type: 'session_removed', sessionId: record.id })
  })

  test('what is closed after a crash is told too, with what the run had said', async () => {
    const directory = dataDirectory()
    const first = await openDemoSessions({ directory, pace: 5, onError() {} })
    const { record, session } = await first.begin()
    const heard: StampedEvent[] = []
    await session.prompt('long')
    await patiently(async () => {
      for await (const event of first.log.read(record.id, heard.length)) heard.push(event)
      expect(heard.some(({ type }) => type === 'message_update')).toBe(true)
    })
    // The log is closed under it, as far as a process can die without dying.
    await first.log.close()
    await first.close().catch(() => {})

    const { close, told, log } = await open({ directory })
    await patiently(() => expect(told('adapter:demo.agent_complete')).toHaveLength(1))
    const [complete] = told('adapter:demo.agent_complete')
    expect(complete?.payload).toMatchObject({ interrupted: true, stopReason: 'interrupted' })
    expect(complete?.payload.messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
    expect(told('session.event').at(-1)?.payload.seq).toBe(await log.head(record.id))
    await close()
  })
})
