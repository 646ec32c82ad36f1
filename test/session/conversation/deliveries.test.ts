import { describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { claudeProtocol } from '../../../src/agents/claude/live.ts'
import { connectLines } from '../../../src/agents/line-protocol.ts'
import type { Live } from '../../../src/agents/live.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { createDeliveries } from '../../../src/session/conversation/deliveries.ts'
import type { SessionDeps } from '../../../src/session/conversation/session-deps.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'
import { openLiveSession } from '../../support/live-session.ts'

const file = new URL('../agents/speaks-late.js', import.meta.url).pathname

/** A session with a script that speaks Claude Code’s protocol. */
const open = (deps: Partial<SessionDeps> = {}, more: Partial<Live> = {}) => {
  const { live } = claude
  if (!live) throw new Error('no live agent')
  const args: typeof live.args = (options) => [file, ...live.args(options)]
  return openLiveSession({
    agent: { ...claude, live: { ...live, ...more, args } },
    setup: { argv: [process.execPath, '-'], env: {}, cwd: dataDirectory(), remove() {} },
    model: 'm',
    deps: { program: () => process.execPath, env: { ...process.env }, ...deps },
  })
}

/** An agent that replies to every command. */
const confirming: Partial<Live> = {
  queue: 'agent',
  connect: (options) => connectLines({ ...claudeProtocol, repliesTo: () => true }, options),
}

/** The run’s events that readers see as entries, one line each. */
const outline = (events: readonly StampedEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === 'message_end') return `${event.message.role} ${event.message.delivery ?? ''}`
    if (event.type === 'message_delivery') return `${event.state} ${event.reason?.code ?? ''}`
    if (event.type === 'agent_end') return `end ${event.stopReason}`
    return event.type === 'agent_start' ? 'start' : []
  })

describe('a prompt', () => {
  test('is in the events before the agent has printed anything', async () => {
    const session = open()
    const by = { kind: 'key', id: 'k', name: 'ci' } as const
    expect(await session.prompt('mute', { by })).toEqual({ outcome: 'accepted' })
    const sent = await session.until(({ type }) => type === 'message_end')
    expect(ofType(session.events, 'session_start')).toMatchObject([{ agent: 'claude', model: 'm' }])
    expect(ofType(session.events, 'agent_start')).toMatchObject([{ by: 'ci' }])
    expect(sent).toMatchObject({
      commandId: expect.any(String),
      message: { role: 'user', content: [{ text: 'mute' }], by: 'ci', delivery: 'sent' },
    })
    expect(session.changes).toContainEqual({ state: 'running', isActive: true })
    await session.close()
    expect(outline(session.events).slice(2)).toEqual([
      'failed message_interrupted',
      'end interrupted',
    ])
  })

  test.each(['early', 'late'])(
    'stands once, above its answer, when its echo is %s',
    async (text) => {
      const session = open()
      for (const _ of [1, 2])
        expect(outline(await session.run(text))).toEqual([
          'start',
          'user sent',
          'taken ',
          'assistant ',
          'end stop',
        ])
      await session.close()
    },
  )

  test('to an agent that crashes at its start fails with the reason', async () => {
    const session = open()
    expect(await session.prompt('crash')).toEqual({ outcome: 'accepted' })
    await session.idle()
    expect(outline(session.events)).toEqual([
      'start',
      'user sent',
      'failed agent_exit',
      'end error',
    ])
    const reason = expect.stringContaining('No API key.')
    expect(ofType(session.events, 'agent_end')).toMatchObject([{ errorMessage: reason }])
    // The next one starts the agent again.
    expect(outline(await session.run('early')).at(-1)).toBe('end stop')
    await session.close()
  })

  test.each([
    ['that confirms no prompt', {}],
    ['that should confirm its prompt', confirming],
  ])('to a silent agent %s is named, and an abort ends the process', async (_, dialect) => {
    const session = open({ silentMs: 50 }, dialect)
    const prompted = session.prompt('mute')
    const isNotice = (event: StampedEvent) => 'notice' in event && event.notice !== undefined
    expect(await session.until(isNotice)).toMatchObject({
      notice: { level: 'warning', text: expect.stringContaining('has not responded') },
    })
    await session.abort()
    await prompted
    expect(session.isAlive()).toBe(false)
    expect(outline(session.events).slice(2)).toEqual(['failed message_interrupted', 'end aborted'])
    await session.close()
  })

  test('to an agent that stays silent for long fails, and the agent is stopped', async () => {
    const session = open({ silentMs: 10 })
    await session.prompt('mute')
    await session.idle()
    expect(session.isAlive()).toBe(false)
    expect(outline(session.events).slice(2)).toEqual(['failed agent_silent', 'end error'])
    await session.close()
  })

  test('that is stopped before the agent starts is aborted', async () => {
    const session = open({ abortMs: 20 })
    await session.prompt('mute')
    await session.abort()
    expect(outline(session.events).slice(2)).toEqual(['failed message_interrupted', 'end aborted'])
    await session.close()
  })

  test('is refused with the reason when the agent exits before it confirms it', async () => {
    const session = open({}, confirming)
    const error = expect.stringContaining('No API key.')
    expect(await session.prompt('crash')).toEqual({ outcome: 'gone', error })
    expect(session.isBusy()).toBe(false)
    expect(outline(session.events).slice(2)).toEqual(['failed agent_exit', 'end error'])
    await session.close()
  })
})

test('a change of the model is in the events at once, with its author', async () => {
  const session = open()
  await session.run('early')
  const by = { kind: 'key', id: 'k', name: 'ci' } as const
  expect(await session.setModel('haiku', { by })).toEqual({ outcome: 'accepted' })
  const isChange = (event: StampedEvent) => 'model' in event && event.model === 'haiku'
  expect(await session.until(isChange)).toMatchObject({ type: 'session_update', by: 'ci' })
  expect(session.changes).toContainEqual({ model: 'haiku' })
  await session.close()
})

test('the echo of a command may have an id of its own, as in Claude Code 1.0 and 2.0', () => {
  const echoOf = (text: string) => ({
    type: 'message_end' as const,
    messageId: 'of the agent',
    message: { role: 'user' as const, content: [{ type: 'text' as const, text }] },
  })
  const deliveries = createDeliveries(false)
  deliveries.show({ id: 'c', text: '/hello world' })
  deliveries.taken()
  expect(deliveries.echoed(echoOf('/hello moon'))).toBeUndefined()
  expect(deliveries.echoed(echoOf('/hello world'))).toEqual([])
  deliveries.show({ id: 'd', text: 'Hello' })
  expect(deliveries.echoed(echoOf('Hello'))).toBeUndefined()
})
