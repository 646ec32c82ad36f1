import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/event.ts'
import { checkOrder } from '../../src/events/order.ts'
import { createText } from '../../src/handler/text.ts'
import { decodeLines } from '../support/recordings.ts'

const decode = (...lines: unknown[]): AgentEvent[] => {
  const events = decodeLines('pi', lines)
  expect(checkOrder(events)).toEqual([])
  return events
}
const typesOf = (events: AgentEvent[]) => events.map(({ type }) => type)
const textOf = (events: AgentEvent[]) => {
  const text = createText()
  for (const event of events) text.push(event)
  return text.text()
}
const updatesOf = (events: AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'message_update' ? [event.assistantMessageEvent] : []))

const begin = [{ type: 'agent_start' }, { type: 'turn_start' }]
const usage = {
  input: 1,
  output: 2,
  cacheRead: 3,
  cacheWrite: 4,
  totalTokens: 10,
  cost: { total: 0.5 },
}
const opening = (more: object = {}) => ({
  type: 'message_start',
  message: { role: 'assistant', content: [], model: 'm', stopReason: 'stop', ...more },
})
const closing = (content: unknown[], more: object = {}) => ({
  type: 'message_end',
  message: { role: 'assistant', content, model: 'm', usage, stopReason: 'stop', ...more },
})
const update = (event: object, more: object = {}) => ({
  type: 'message_update',
  assistantMessageEvent: event,
  ...more,
})
const text = (value: string) => ({ type: 'text', text: value })

describe('when a run is over', () => {
  test('print mode as the format note has it: no agent_end, the last turn_end is the end', () => {
    const events = decode(...begin, opening(), closing([text('hi')]), {
      type: 'turn_end',
      message: { stopReason: 'stop' },
    })
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'stop' })
  })

  test('0.73: an attempt that ended well settles at once', () => {
    const events = decode(
      ...begin,
      opening(),
      closing([text('hi')]),
      { type: 'turn_end' },
      { type: 'agent_end' },
      {
        type: 'compaction_start',
        reason: 'threshold',
      },
    )
    expect(typesOf(events).slice(-2)).toEqual(['agent_end', 'compaction_start'])
  })

  test('0.73: an attempt that failed waits, and a retry goes on with the run', () => {
    const failed = closing([text('half')], { stopReason: 'error', errorMessage: 'overloaded' })
    const events = decode(
      ...begin,
      opening(),
      failed,
      { type: 'turn_end' },
      { type: 'agent_end' },
      {
        type: 'auto_retry_start',
        attempt: 1,
        maxAttempts: 3,
        delayMs: 5,
        errorMessage: 'overloaded',
      },
      ...begin,
      opening(),
      closing([text('whole')]),
      { type: 'turn_end' },
      { type: 'agent_end' },
    )
    expect(typesOf(events).filter((type) => type.startsWith('agent_'))).toEqual([
      'agent_start',
      'agent_end',
    ])
    expect(textOf(events)).toBe('whole')
    expect(events).toContainEqual({ type: 'message_withdrawn', messageId: 'm1', reason: 'retried' })
  })

  test('0.73: a failed attempt without a retry ends when the next command is answered', () => {
    const failed = closing([], { stopReason: 'error', errorMessage: 'bad key' })
    const events = decode(
      ...begin,
      opening(),
      failed,
      { type: 'turn_end' },
      { type: 'agent_end' },
      {
        type: 'response',
        command: 'get_messages',
        success: true,
      },
    )
    expect(events.at(-1)).toEqual({
      type: 'agent_end',
      stopReason: 'error',
      errorMessage: 'bad key',
    })
  })

  test('agent_settled decides where it exists: agent_end alone is not the end', () => {
    const events = decode(
      ...begin,
      opening({ stopReason: 'pending' }),
      closing([text('hi')]),
      { type: 'turn_end' },
      { type: 'agent_end', willRetry: false },
      { type: 'compaction_start', reason: 'threshold' },
      { type: 'compaction_end', reason: 'threshold', result: { summary: 's' }, willRetry: false },
      { type: 'agent_settled', aborted: true },
    )
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'aborted' })
    expect(typesOf(events).filter((type) => type === 'agent_end')).toHaveLength(1)
  })

  test('an abort that shows only as an error text is an abort', () => {
    const cut = closing([], { stopReason: 'error', errorMessage: 'This operation was aborted' })
    const events = decode(...begin, opening(), cut, { type: 'turn_end' }, { type: 'agent_end' })
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'aborted' })
  })
})

describe('blocks', () => {
  test('0.84.0 tells a call’s name only at its end: its pieces wait for it', () => {
    const events = decode(
      ...begin,
      opening(),
      update({ type: 'text_start', contentIndex: 0 }),
      update({ type: 'text_delta', contentIndex: 0, delta: 'a' }),
      update({ type: 'toolcall_start', contentIndex: 1 }),
      update({ type: 'toolcall_delta', contentIndex: 1, delta: '{"x"' }),
      update({ type: 'toolcall_delta', contentIndex: 1, delta: ':1}' }),
      update({
        type: 'toolcall_end',
        contentIndex: 1,
        toolCall: { type: 'toolCall', id: 'c', name: 'bash', arguments: { x: 1 } },
      }),
      closing([text('a'), { type: 'toolCall', id: 'c', name: 'bash', arguments: { x: 1 } }]),
    )
    expect(updatesOf(events)).toContainEqual({
      type: 'tool_use_start',
      contentIndex: 1,
      toolCallId: 'c',
      name: 'bash',
      input: {},
    })
    expect(updatesOf(events)).toContainEqual({
      type: 'tool_use_input_delta',
      contentIndex: 1,
      toolCallId: 'c',
      partialInput: '{"x":1}',
    })
  })

  test('may overlap and stay open; message_end closes them', () => {
    const events = decode(
      ...begin,
      opening(),
      update({ type: 'thinking_start', contentIndex: 0 }),
      update({ type: 'thinking_delta', contentIndex: 0, delta: 'hm' }),
      update({ type: 'text_start', contentIndex: 1 }),
      update({ type: 'text_delta', contentIndex: 1, delta: 'yes' }),
      closing([{ type: 'thinking', thinking: 'hm' }, text('yes')]),
    )
    expect(updatesOf(events).map(({ type }) => type)).toEqual([
      'thinking_start',
      'thinking_delta',
      'text_start',
      'text_delta',
      'thinking_end',
      'text_end',
      'usage',
      'done',
    ])
  })

  test('text that no delta carried is streamed before the message ends', () => {
    const events = decode(...begin, opening(), closing([text('all at once')]))
    expect(updatesOf(events)).toContainEqual({
      type: 'text_delta',
      contentIndex: 0,
      delta: 'all at once',
    })
  })

  test('a surrogate pair that two deltas split arrives in one', () => {
    const events = decode(
      ...begin,
      opening(),
      update({ type: 'text_delta', contentIndex: 0, delta: 'a\ud83d' }),
      update({ type: 'text_delta', contentIndex: 0, delta: '\ude42b' }),
      closing([text('a🙂b')]),
    )
    const deltas = updatesOf(events).flatMap((each) =>
      each.type === 'text_delta' ? [each.delta] : [],
    )
    expect(deltas).toEqual(['a', '🙂b'])
  })
})

describe('tools', () => {
  const tool = { toolCallId: 't', toolName: 'bash' }
  const shown = (value: string) => ({
    type: 'tool_execution_update',
    ...tool,
    partialResult: { content: [text(value)] },
  })
  const deltasOf = (...outputs: string[]) =>
    decode(
      ...begin,
      { type: 'tool_execution_start', ...tool, args: {} },
      ...outputs.map(shown),
    ).flatMap((event) =>
      event.type === 'tool_execution_update' ? [{ text: event.outputDelta, gap: event.gap }] : [],
    )

  test('updates that repeat the whole output become what is new', () => {
    expect(deltasOf('a\n', 'a\nb\n', 'a\nb\n', 'a\nb\nc\n')).toEqual([
      { text: 'a\n', gap: undefined },
      { text: 'b\n', gap: undefined },
      { text: 'c\n', gap: undefined },
    ])
  })

  test('a window that slides gives what it shows beyond the last one', () => {
    expect(deltasOf('1\n2\n3\n', '2\n3\n4\n', '4\n5\n6\n')).toEqual([
      { text: '1\n2\n3\n', gap: undefined },
      { text: '4\n', gap: undefined },
      { text: '5\n6\n', gap: undefined },
    ])
  })

  test('a window that slid past unseen output says so', () => {
    expect(deltasOf('1\n2\n', '8\n9\n')[1]).toEqual({ text: '8\n9\n', gap: true })
  })

  test('a nested call names its parent', () => {
    const nested = { toolCallId: 't/1', toolName: 'read', parentToolCallId: 't' }
    const events = decode(
      ...begin,
      { type: 'tool_execution_start', ...tool, args: {} },
      { type: 'tool_execution_start', ...nested, args: {} },
      { type: 'tool_execution_end', ...nested, result: { content: [] }, isError: false },
      {
        type: 'tool_execution_end',
        ...tool,
        result: { content: [] },
        isError: false,
        durationMs: 4,
      },
    )
    expect(events).toContainEqual({
      type: 'tool_call',
      toolCallId: 't/1',
      toolName: 'read',
      input: {},
      parentToolCallId: 't',
    })
  })

  test('an exit code is there only where Pi said one', () => {
    const ends = (result: object, isError: boolean) =>
      decode(
        ...begin,
        { type: 'tool_execution_start', ...tool, args: {} },
        {
          type: 'tool_execution_end',
          ...tool,
          result,
          isError,
        },
      ).find((event) => event.type === 'tool_execution_end')
    expect(ends({ content: [text('x\n\nCommand exited with code 3')] }, true)).toMatchObject({
      exitCode: 3,
    })
    expect(ends({ content: [], structuredContent: { exit_code: 0 } }, false)).toMatchObject({
      exitCode: 0,
    })
    expect(ends({ content: [text('ok')] }, false)).not.toHaveProperty('exitCode')
  })
})

test('a question of an extension names the call that waits for it, and ends with the agent', () => {
  const events = decode(
    ...begin,
    { type: 'tool_execution_start', toolCallId: 't', toolName: 'bash', args: {} },
    {
      type: 'extension_ui_request',
      id: 'q',
      method: 'confirm',
      title: 'Sure?',
      message: 'rm',
      timeout: 9,
    },
  )
  expect(events).toContainEqual({
    type: 'approval_request',
    approvalId: 'q',
    toolCallId: 't',
    toolName: 'bash',
    dialog: { kind: 'confirm', title: 'Sure?', message: 'rm' },
    timeoutMs: 9,
  })
  expect(events.at(-1)).toMatchObject({ type: 'approval_resolved', outcome: 'agent_gone' })
})

test('an unknown line is kept whole', () => {
  const line = { type: 'brand_new', payload: { deep: [1, 2] } }
  expect(decode(line)).toEqual([{ type: 'raw', agent: 'pi', line }])
})
