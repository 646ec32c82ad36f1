import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demo } from '../../src/agents/demo/index.ts'
import { demoProtocol } from '../../src/agents/demo/live.ts'
import type { CommandReply } from '../../src/agents/live.ts'
import { shippedFile } from '../../src/agents/shipped-file.ts'
import { agentEvent } from '../../src/events/event.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent, EventOf } from '../../src/events/types.ts'

const decode = (lines: readonly unknown[], replies: CommandReply[] = []): AgentEvent[] => {
  const decoder = demo.createDecoder({ onReply: (reply) => replies.push(reply) })
  return [...lines.flatMap((line) => decoder.push(line)), ...decoder.end()]
}

const start: AgentEvent = { type: 'session_start', agent: 'demo' }
const call = { toolCallId: 't', toolName: 'bash' }
const run: readonly AgentEvent[] = [
  start,
  { type: 'agent_start' },
  { type: 'turn_start' },
  { type: 'message_start', messageRole: 'assistant', messageId: 'm', model: 'x' },
  update({ type: 'thinking_start', contentIndex: 0 }),
  update({ type: 'thinking_delta', contentIndex: 0, delta: 'Hm' }),
  update({ type: 'thinking_end', contentIndex: 0 }),
  update({ type: 'text_start', contentIndex: 1 }),
  update({ type: 'text_delta', contentIndex: 1, delta: 'He' }),
  update({ type: 'text_delta', contentIndex: 1, delta: 'llo' }),
  update({ type: 'text_end', contentIndex: 1 }),
  update({ type: 'tool_use_end', contentIndex: 2, toolCallId: 't', name: 'bash', input: {} }),
  update({ type: 'done', reason: 'toolUse' }),
  { type: 'message_end', messageId: 'm', message: { role: 'assistant', content: [] } },
  { type: 'tool_call', ...call, input: {} },
  { type: 'approval_request', kind: 'tool', approvalId: 'a', toolCallId: 't' },
  { type: 'approval_resolved', approvalId: 'a', action: 'allow', outcome: 'answered' },
  { type: 'tool_execution_start', ...call, args: {} },
  { type: 'tool_execution_update', ...call, outputDelta: 'x\n' },
  { type: 'tool_execution_end', ...call, isError: false },
  { type: 'tool_result', message: { role: 'toolResult', ...call, content: [], isError: false } },
  { type: 'turn_end', stopReason: 'toolUse' },
  { type: 'agent_end', stopReason: 'stop' },
]

function update(
  assistantMessageEvent: EventOf<'message_update'>['assistantMessageEvent'],
): AgentEvent {
  return { type: 'message_update', messageId: 'm', assistantMessageEvent }
}

describe('the demo’s decoder', () => {
  test('passes events on unchanged', () => {
    expect(decode(run)).toEqual(run)
  })

  test('passes replies to onReply, not to readers', () => {
    const replies: CommandReply[] = []
    const lines = [start, { type: 'reply', id: '1', ok: false, error: 'No.' }]
    expect(decode(lines, replies)).toEqual([start])
    expect(replies).toEqual([{ id: '1', ok: false, error: 'No.' }])
  })

  test('emits unknown and incomplete lines as raw', () => {
    const lines = [null, 7, [], {}, { type: 'news' }, { type: 'message_update', messageId: 'm' }]
    expect(decode(lines)).toEqual(lines.map((line) => ({ type: 'raw', agent: 'demo', line })))
  })

  test('adds a missing session_start', () => {
    expect(decode(run.slice(1))).toEqual(run)
  })

  test('closes everything that is open, wherever the stream is cut', () => {
    for (let length = 0; length <= run.length; length += 1) {
      const events = decode(run.slice(0, length))
      expect(checkOrder(events)).toEqual([])
      for (const event of events) expect(agentEvent.safeParse(event).success).toBe(true)
      if (length > 1 && length < run.length)
        expect(events.at(-1)).toMatchObject({ type: 'agent_end', interrupted: true })
    }
  })

  test('keeps the text before the cut', () => {
    const events = decode(run.slice(0, 9))
    const end = events.find((event) => event.type === 'message_end')
    expect(end?.message).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'He' },
      ],
      model: 'x',
      stopReason: 'interrupted',
    })
  })

  test('resolves an open approval when the process is gone', () => {
    expect(decode(run.slice(0, 16))).toContainEqual({
      type: 'approval_resolved',
      approvalId: 'a',
      toolCallId: 't',
      action: 'deny',
      outcome: 'agent_gone',
    })
  })

  test('keeps the order of events, whatever the order of lines', () => {
    const any = fc.array(fc.constantFrom<unknown>(...run, {}, 'x', { type: 'tool_result' }), {
      maxLength: 60,
    })
    fc.assert(fc.property(any, (lines) => checkOrder(decode(lines)).length === 0))
  })
})

describe('the demo’s program', () => {
  test('is found among the sources and beside a bundle', () => {
    expect(shippedFile('demo/program.js')).toMatch(/\/src\/agents\/demo\/program\.js$/)
    const bundles = ['chunks/stream-x1.js', 'agents/index.js', 'cli/main.js']
    for (const bundle of bundles)
      expect(shippedFile('demo/program.js', `file:///a%20b/agents/demo/dist/${bundle}`)).toBe(
        '/a b/agents/demo/dist/agents/demo/program.js',
      )
  })

  test('is started with the model, the session and the extra arguments', () => {
    expect(demo.live?.args({ model: 'm', resume: 'r', extra: ['--x'] }).slice(1)).toEqual([
      '--model',
      'm',
      '--resume',
      'r',
      '--x',
    ])
    expect(demo.command('--help').slice(1)).toEqual(['--prompt=--help'])
  })

  test('is answered with the id of its request', () => {
    const request: EventOf<'approval_request'> = {
      type: 'approval_request',
      kind: 'tool',
      approvalId: 'a',
    }
    const answer = { action: 'deny' as const, message: 'No.' }
    expect(demoProtocol.encode({ type: 'answer', id: '1', request, answer })).toEqual([
      { type: 'answer', id: '1', approvalId: 'a', action: 'deny', message: 'No.' },
    ])
  })
})
