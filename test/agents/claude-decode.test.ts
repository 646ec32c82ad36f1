import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/event.ts'
import { checkOrder } from '../../src/events/order.ts'
import { createText } from '../../src/handler/text.ts'
import { decodeLines } from '../support/recordings.ts'

const decode = (...lines: unknown[]): AgentEvent[] => {
  const events = decodeLines('claude', lines)
  expect(checkOrder(events)).toEqual([])
  return events
}
const textOf = (events: AgentEvent[]) => {
  const text = createText()
  for (const event of events) text.push(event)
  return text.text()
}
const ofType = (events: AgentEvent[], type: AgentEvent['type']) =>
  events.filter((event) => event.type === type)

const init = {
  type: 'system',
  subtype: 'init',
  session_id: 's',
  model: 'opus',
  cwd: '/p',
  tools: ['Bash'],
}
const assistant = (id: string, block: object, more: object = {}) => ({
  type: 'assistant',
  message: { id, model: 'opus', content: [block], usage: { input_tokens: 1, output_tokens: 1 } },
  parent_tool_use_id: null,
  ...more,
})
const text = (value: string) => ({ type: 'text', text: value })
const use = (id: string, name = 'Bash', input: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
})
const answer = (id: string, content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
  parent_tool_use_id: null,
})
const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  ...more,
})
const stream = (event: object) => ({ type: 'stream_event', event, parent_tool_use_id: null })

describe('the format notes', () => {
  test('a system line without subtype, a message with all blocks, usage beside it', () => {
    const events = decode(
      { type: 'system', session_id: 'abc', model: 'claude-opus', tools: [] },
      {
        type: 'assistant',
        message: { content: [text('Hello'), use('id1', 'Bash', { command: 'ls' })] },
        usage: { input_tokens: 100, output_tokens: 50 },
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 'id1', content: 'out' }] },
      },
      { type: 'result', duration_ms: 1500, total_cost_usd: 0.01, num_turns: 3, is_error: false },
    )
    expect(textOf(events)).toBe('Hello')
    expect(ofType(events, 'tool_call')).toHaveLength(1)
    expect(ofType(events, 'message_end')[0]).toMatchObject({
      message: { usage: { input: 100, output: 50 } },
    })
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'stop' })
  })

  test('bare content_block_delta lines', () => {
    const delta = (value: string) => ({
      type: 'content_block_delta',
      delta: { type: 'text_delta', text: value },
    })
    expect(textOf(decode(init, delta('chunk '), delta('of text'), result()))).toBe('chunk of text')
  })
})

describe('success and failure', () => {
  const endOf = (...lines: unknown[]) => decode(init, ...lines).at(-1)

  test('subtype success with is_error is a failure', () => {
    expect(endOf(result({ is_error: true, result: 'API Error: 400' }))).toEqual({
      type: 'agent_end',
      stopReason: 'error',
      errorMessage: 'API Error: 400',
    })
  })

  test('an error subtype is a failure even where is_error is false', () => {
    expect(endOf(result({ subtype: 'error_max_turns' }))).toMatchObject({ stopReason: 'error' })
  })

  test('an interrupted turn is aborted, by its reason or by its words', () => {
    const cut = { subtype: 'error_during_execution', is_error: true }
    expect(endOf(result({ ...cut, terminal_reason: 'aborted_tools' }))).toEqual({
      type: 'agent_end',
      stopReason: 'aborted',
    })
    const said = {
      type: 'user',
      message: { role: 'user', content: [text('[Request interrupted by user]')] },
    }
    expect(endOf(said, result({ subtype: 'error_during_execution' }))).toMatchObject({
      stopReason: 'aborted',
    })
  })

  test('a synthetic error message is an error, not the agent’s text', () => {
    const message = { id: 'x', model: '<synthetic>', content: [text('API Error: 500')] }
    const events = decode(
      init,
      { type: 'assistant', error: 'server_error', message },
      result({ is_error: true }),
    )
    expect(textOf(events)).toBe('')
    expect(ofType(events, 'message_end')[0]).toMatchObject({
      message: {
        synthetic: true,
        stopReason: 'error',
        errorMessage: 'API Error: 500',
        content: [],
      },
    })
  })

  test('no result at all: the run is closed as interrupted', () => {
    expect(endOf(assistant('m', text('half')))).toEqual({
      type: 'agent_end',
      stopReason: 'interrupted',
      interrupted: true,
    })
  })
})

describe('messages', () => {
  test('blocks of one id are one message, though a tool ran in between', () => {
    const events = decode(
      init,
      assistant('m', use('a')),
      answer('a', 'done'),
      assistant('m', use('b')),
      answer('b', 'done'),
      assistant('n', text('ok')),
      result(),
    )
    expect(ofType(events, 'message_start')).toHaveLength(2)
    expect(ofType(events, 'turn_end')).toHaveLength(2)
  })

  test('with partial messages the text is told once', () => {
    const events = decode(
      init,
      stream({
        type: 'message_start',
        message: { id: 'm', model: 'opus', usage: { output_tokens: 1 } },
      }),
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } }),
      assistant('m', text('Hello')),
      stream({ type: 'content_block_stop', index: 0 }),
      stream({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 9 },
      }),
      stream({ type: 'message_stop' }),
      result(),
    )
    const deltas = events.flatMap((event) =>
      event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta'
        ? [event.assistantMessageEvent.delta]
        : [],
    )
    expect(deltas).toEqual(['Hel', 'lo'])
    expect(ofType(events, 'message_end')[0]).toMatchObject({
      message: { usage: { output: 9 }, stopReason: 'stop' },
    })
  })

  test('an old version drops a broken stream without a word: what it streamed is void', () => {
    const events = decode(
      init,
      stream({ type: 'message_start', message: { id: 'm', model: 'opus' } }),
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      stream({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: 'lost' },
      }),
      assistant('n', text('kept')),
      result(),
    )
    expect(textOf(events)).toBe('kept')
    expect(events).toContainEqual({
      type: 'message_withdrawn',
      messageId: 'm',
      reason: 'abandoned',
    })
  })

  test('a user message that comes while text streams waits until the message is whole', () => {
    const events = decode(
      init,
      stream({ type: 'message_start', message: { id: 'm', model: 'opus' } }),
      { type: 'user', isReplay: true, uuid: 'u', message: { role: 'user', content: 'and then?' } },
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'on' } }),
      stream({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
      stream({ type: 'message_stop' }),
      result(),
    )
    const order = events.flatMap((event) =>
      event.type === 'message_end' ? [`${event.message.role} ${event.messageId}`] : [],
    )
    expect(order).toEqual(['assistant m', 'user u'])
  })
})

describe('tools and subagents', () => {
  test('content is a string or a list', () => {
    const events = decode(
      init,
      assistant('m', use('a')),
      answer('a', [
        text('one'),
        { type: 'image', source: { data: 'AA', media_type: 'image/png' } },
      ]),
      result(),
    )
    expect(ofType(events, 'tool_result')[0]).toMatchObject({
      message: { content: [text('one'), { type: 'image', data: 'AA', mimeType: 'image/png' }] },
    })
  })

  test.each(['Task', 'Agent'])('%s starts a subagent, whose work names its call', (name) => {
    const input = { subagent_type: 'Explore', description: 'look', prompt: 'Find it' }
    const inner = { parent_tool_use_id: 'a' }
    const events = decode(
      init,
      assistant('m', use('a', name, input)),
      assistant('sub', use('b'), inner),
      { ...answer('b', 'found'), ...inner },
      assistant('sub2', text('Found it.'), inner),
      answer('a', [text('report')]),
      assistant('n', text('Done.')),
      result(),
    )
    expect(events).toContainEqual({
      type: 'subagent_start',
      toolCallId: 'a',
      kind: 'Explore',
      description: 'look',
      prompt: 'Find it',
    })
    expect(ofType(events, 'subagent_end')).toEqual([
      { type: 'subagent_end', toolCallId: 'a', isError: false },
    ])
    expect(textOf(events)).toBe('Done.')
    expect(ofType(events, 'tool_call')[1]).toMatchObject({ toolCallId: 'b', parentToolCallId: 'a' })
  })

  test('before 2.1.325 a refusal shows only in the result', () => {
    const events = decode(
      init,
      assistant('m', use('a')),
      answer('a', 'not allowed', { is_error: true }),
      result({ permission_denials: [{ tool_name: 'Bash', tool_use_id: 'a', tool_input: {} }] }),
    )
    expect(ofType(events, 'approval_resolved')[0]).toMatchObject({
      toolCallId: 'a',
      outcome: 'policy',
    })
  })
})

describe('when a run is over', () => {
  const started = (id: string) => ({
    type: 'system',
    subtype: 'task_started',
    task_id: id,
    tool_use_id: 'a',
  })
  const ended = (id: string) => ({
    type: 'system',
    subtype: 'task_notification',
    task_id: id,
    tool_use_id: 'a',
    status: 'completed',
  })

  test('a result with work in the background is not the end', () => {
    const events = decode(
      init,
      assistant('m', use('a')),
      started('bg'),
      answer('a', 'running in background'),
      assistant('n', text('started')),
      result(),
      ended('bg'),
      init,
      assistant('o', text('it is done')),
      result(),
    )
    expect(ofType(events, 'agent_end')).toEqual([{ type: 'agent_end', stopReason: 'stop' }])
    expect(events.at(-1)?.type).toBe('agent_end')
  })

  test('two prompts are two runs', () => {
    const events = decode(
      init,
      assistant('m', text('a')),
      result(),
      init,
      assistant('n', text('b')),
      result(),
    )
    expect(ofType(events, 'agent_start')).toHaveLength(2)
    expect(ofType(events, 'agent_end')).toHaveLength(2)
  })

  test('a result alone is all that --output-format json prints', () => {
    expect(textOf(decode(result({ result: 'The answer.' })))).toBe('The answer.')
  })

  test('--output-format json --verbose prints one list', () => {
    expect(textOf(decode([init, assistant('m', text('Hi')), result({ result: 'Hi' })]))).toBe('Hi')
  })
})

test('1.0 compacts without status lines: the boundary starts and the summary ends it', () => {
  const events = decode(
    init,
    assistant('m', text('long')),
    {
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 9 },
    },
    { type: 'user', message: { role: 'user', content: 'This session is being continued…' } },
    assistant('n', text('on')),
    result(),
  )
  expect(ofType(events, 'compaction_end')).toEqual([
    {
      type: 'compaction_end',
      reason: 'threshold',
      tokensBefore: 9,
      summary: 'This session is being continued…',
    },
  ])
})

test('an unknown line is kept whole', () => {
  const line = { type: 'system', subtype: 'brand_new', more: true }
  expect(decode(line)).toEqual([{ type: 'raw', agent: 'claude', line }])
})
