import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demo } from '../../src/agents/demo/index.ts'
import { createConversation } from '../../src/agents/demo/program/conversation.ts'
import type { CommandReply } from '../../src/agents/live.ts'
import { agentEvent } from '../../src/events/event.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { ofType, textOf } from '../support/decoded.ts'

/** A conversation in this process, read through the decoder. */
const converse = (more: { resume?: string } = {}) => {
  const events: AgentEvent[] = []
  const replies: CommandReply[] = []
  const decoder = demo.createDecoder({ onReply: (reply) => replies.push(reply) })
  const conversation = createConversation({
    cwd: '/work',
    pace: 0,
    idPrefix: 'u',
    write: (line) => events.push(...decoder.push(structuredClone(line))),
    ...more,
  })
  const write = (text: string) => conversation.push(new TextEncoder().encode(text))
  return {
    events,
    replies,
    write,
    send: (command: object) => write(`${JSON.stringify(command)}\n`),
    once: conversation.once,
    close: conversation.close,
  }
}

const keywords = 'replay retry error fail parallel edit approve tool image think tour'.split(' ')

describe('the demo’s scripts', () => {
  test.each(keywords)('%s emits valid events in order', async (keyword) => {
    const { events, once } = converse()
    await once(`Show me: ${keyword}`)
    expect(checkOrder(events)).toEqual([])
    for (const event of events) expect(agentEvent.safeParse(event).error?.issues ?? []).toEqual([])
    expect(events.filter(({ type }) => type === 'raw')).toEqual([])
    expect(textOf(events)).toContain('no model is behind it')
  })

  test('the tour shows a bit of everything', async () => {
    const { events, once } = converse()
    await once('Hello')
    expect(ofType(events, 'tool_call').map(({ toolName }) => toolName)).toEqual([
      'bash',
      'read',
      'bash',
      'edit',
    ])
    const edited = ofType(events, 'tool_result').at(-1)
    expect(edited?.message.details).toMatchObject({
      diff: expect.stringContaining('@@ -2,1 +2,1 @@'),
    })
    expect(ofType(events, 'agent_end')).toEqual([{ type: 'agent_end', stopReason: 'stop' }])
  })

  test('two tools run in parallel', async () => {
    const { events, once } = converse()
    await once('parallel')
    const types = events.map(({ type }) => type)
    expect(types.lastIndexOf('tool_execution_start')).toBeLessThan(
      types.indexOf('tool_execution_end'),
    )
  })

  test('a retry withdraws the message of the failed call', async () => {
    const { events, once } = converse()
    await once('retry')
    expect(ofType(events, 'auto_retry_start')).toHaveLength(1)
    expect(ofType(events, 'auto_retry_end')).toMatchObject([{ success: true }])
    expect(textOf(events)).not.toContain('withdrawn')
  })

  test('an error ends the run with its message', async () => {
    const { events, once } = converse()
    await once('error')
    const errorMessage = 'The model failed (made up).'
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'error', errorMessage })
  })

  test('a replay has new ids each time', async () => {
    const { events, once } = converse()
    await once('replay')
    await once('replay')
    expect(checkOrder(events)).toEqual([])
    const ids = ofType(events, 'tool_call').map(({ toolCallId }) => toolCallId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(textOf(events)).toContain('I will run three tools at once.')
  })

  test('tokens and cost are estimates', async () => {
    const { events, once } = converse()
    await once('think')
    const [answer] = ofType(events, 'message_end').filter(({ message }) => message.usage)
    expect(answer?.message.usage).toMatchObject({ estimated: true })
    expect(answer?.message.usage).not.toHaveProperty('cost')
    const reported = ofType(events, 'session_update').flatMap((event) => event.reported ?? [])
    expect(reported).toMatchObject([{ costBasis: 'estimated' }])
  })
})

test('an invalid command gets an error reply', () => {
  const { events, replies, write } = converse()
  write('x\nnull\n[]\n7\n{}\n{"type":"prompt","id":"1"}\n{"type":"fly","id":"2"}\n\n')
  expect(ofType(events, 'error').map(({ code }) => code)).toEqual(
    Array.from({ length: 7 }, () => 'command_failed'),
  )
  expect(replies).toMatchObject([
    { id: '1', ok: false },
    { id: '2', ok: false },
  ])
})

const command = fc.oneof(
  fc.record({
    type: fc.constantFrom('prompt', 'steer', 'followUp'),
    id: fc.constant('1'),
    text: fc.constantFrom(...keywords),
  }),
  fc.record({
    type: fc.constant('answer'),
    approvalId: fc.nat(40).map((n) => `u-approval-${n}`),
    action: fc.constantFrom('allow', 'deny'),
    updatedInput: fc.constantFrom(undefined, { command: 'ls' }, 'x'),
  }),
  fc.record({ type: fc.constantFrom('abort', 'compact', 'setModel', 'nonsense') }),
)

test('the order of events holds for any commands at any time', { timeout: 120_000 }, async () => {
  const commands = fc.array(fc.tuple(command, fc.constantFrom(0, 0, 2, 20)), { maxLength: 12 })
  const holds = async (script: [object, number][]) => {
    const { events, send, close } = converse()
    for (const [line, ms] of script) {
      send(line)
      if (ms > 0) await wait(ms)
    }
    await close()
    const isValid = events.every((event) => agentEvent.safeParse(event).success)
    const isClean = events.every(({ type }) => type !== 'raw')
    return isValid && isClean && checkOrder(events).length === 0
  }
  await fc.assert(fc.asyncProperty(commands, holds), { numRuns: 80 })
})
