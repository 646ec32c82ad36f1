import { describe, expect, test } from 'vitest'
import { decoderOf, updatesOf } from '../support/decoded.ts'
import { begin, closing, opening, text, update } from '../support/pi-lines.ts'

const decode = decoderOf('pi')

describe('blocks', () => {
  test('0.84.0 names a call only at its end: its deltas wait until then', () => {
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

  test('may overlap and stay open until message_end closes them', () => {
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

  test('text without deltas is emitted before the message ends', () => {
    const events = decode(...begin, opening(), closing([text('all at once')]))
    expect(updatesOf(events)).toContainEqual({
      type: 'text_delta',
      contentIndex: 0,
      delta: 'all at once',
    })
  })

  test('a surrogate pair that two deltas split is emitted in one', () => {
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

  test('updates that repeat the whole output become deltas', () => {
    expect(deltasOf('a\n', 'a\nb\n', 'a\nb\n', 'a\nb\nc\n')).toEqual([
      { text: 'a\n', gap: undefined },
      { text: 'b\n', gap: undefined },
      { text: 'c\n', gap: undefined },
    ])
  })

  test('a sliding window becomes deltas', () => {
    expect(deltasOf('1\n2\n3\n', '2\n3\n4\n', '4\n5\n6\n')).toEqual([
      { text: '1\n2\n3\n', gap: undefined },
      { text: '4\n', gap: undefined },
      { text: '5\n6\n', gap: undefined },
    ])
  })

  test('a window that slid past unseen output has a gap', () => {
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

  test('an exit code is present only if Pi reports one', () => {
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
