import { describe, expect, test } from 'vitest'
import { answer, assistant, init, result, stream, text, use } from '../support/claude-lines.ts'
import { decoderOf, deltasOf, ofType, textOf } from '../support/decoded.ts'

const decode = decoderOf('claude')

describe('lines as the notes about the format have them', () => {
  test('decodes a system line without a subtype, and usage beside the message', () => {
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
    expect(events.at(-1)).toEqual({
      ...{ type: 'agent_end', stopReason: 'stop' },
      ...{ durationMs: 1500, numTurns: 3 },
    })
  })

  test('decodes deltas without a message_start', () => {
    const delta = (value: string) => ({
      type: 'content_block_delta',
      delta: { type: 'text_delta', text: value },
    })
    expect(textOf(decode(init, delta('chunk '), delta('of text'), result()))).toBe('chunk of text')
  })
})

describe('messages', () => {
  test('blocks with one id are one message, even if a tool runs between them', () => {
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

  test('with partial messages, the text is emitted once', () => {
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
    expect(deltasOf(events)).toEqual(['Hel', 'lo'])
    expect(ofType(events, 'message_end')[0]).toMatchObject({
      message: { usage: { output: 9 }, stopReason: 'stop' },
    })
  })

  test('withdraws the deltas of a stream that an old version dropped', () => {
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

  test('a user message waits until the message that streams is complete', () => {
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
  test('the content of a result is a string or a list', () => {
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

  test.each(['Task', 'Agent'])('%s starts a subagent, whose events name its call', (name) => {
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

  test.each([
    [
      '<tool_use_error>Error: No such tool available: X</tool_use_error>',
      'No such tool available: X',
    ],
    ['<tool_use_error>File does not exist.</tool_use_error>', 'File does not exist.'],
    ['Exit code 3\nls: no such file', 'Exit code 3\nls: no such file'],
  ])('a failed call says what happened, without tags: %s', (content, said) => {
    const events = decode(init, assistant('m', use('a')), answer('a', content, { is_error: true }))
    const shown = [{ type: 'text', text: said }]
    expect(ofType(events, 'tool_execution_end')).toMatchObject([{ result: { content: shown } }])
    expect(ofType(events, 'tool_result')).toMatchObject([{ message: { content: shown } }])
  })

  // As 2.1.325, 2.1.112 and 2.0.77 print it.
  test.each([
    [
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed. Correction to the text above: this call was stopped while running, not refused before it ran.",
      'The call was stopped. It may have done a part of its work.',
    ],
    ['Exit code 137\n[Request interrupted by user for tool use]', 'The call was stopped.'],
    ['Exit code 137\nhalf\n[Request interrupted by user for tool use]', 'half'],
    [
      "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed.",
      'The call was stopped.',
    ],
  ])('a run that was stopped says so in the person’s words: %s', (content, said) => {
    const mark = '[Request interrupted by user for tool use]'
    const events = decode(
      init,
      assistant('m', use('a')),
      answer('a', content, { is_error: true }),
      { type: 'user', message: { role: 'user', content: [text(mark)] }, parent_tool_use_id: null },
      result({ subtype: 'error_during_execution', is_error: true }),
    )
    expect(ofType(events, 'tool_execution_end')).toMatchObject([
      { interrupted: true, result: { content: [{ text: said }] } },
    ])
    expect(JSON.stringify(events)).not.toContain('Request interrupted')
    expect(ofType(events, 'message_end')).toMatchObject([{ message: { role: 'assistant' } }])
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'aborted' })
  })

  test('a plan that is missing in its request is the one of the call', () => {
    const plan = '1. Read. 2. Write.'
    const request = (input: object) => ({
      type: 'control_request',
      request_id: 'r',
      request: { subtype: 'can_use_tool', tool_name: 'ExitPlanMode', input, tool_use_id: 'a' },
    })
    const call = assistant('m', use('a', 'ExitPlanMode', { plan }))
    const requested = (input: object) =>
      ofType(decode(init, call, request(input)), 'approval_request')
    // Since 2.1.325, unless the plan was written to a file.
    expect(requested({})).toMatchObject([{ kind: 'plan', plan, canAcceptEdits: true }])
    expect(requested({ plan: 'From the file.' })).toMatchObject([{ plan: 'From the file.' }])
  })

  test('before 2.1.325, a denial is only in the result line', () => {
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
