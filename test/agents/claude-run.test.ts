import { describe, expect, test } from 'vitest'
import { answer, assistant, init, result, text, use } from '../support/claude-lines.ts'
import { decoderOf, ofType, textOf } from '../support/decoded.ts'

const decode = decoderOf('claude')

describe('success and failure', () => {
  const endOf = (...lines: unknown[]) => decode(init, ...lines).at(-1)

  test('a result with is_error is a failure, even with the subtype success', () => {
    expect(endOf(result({ is_error: true, result: 'API Error: 400' }))).toEqual({
      type: 'agent_end',
      stopReason: 'error',
      errorMessage: 'Error 400',
    })
  })

  test('a result with an error subtype is a failure, even if is_error is false', () => {
    expect(endOf(result({ subtype: 'error_max_turns' }))).toMatchObject({ stopReason: 'error' })
  })

  test('an interrupted turn is aborted: its reason or a user message says so', () => {
    const cut = { subtype: 'error_during_execution', is_error: true }
    expect(endOf(result({ ...cut, terminal_reason: 'aborted_tools' }))).toEqual({
      type: 'agent_end',
      stopReason: 'aborted',
    })
    const interruption = {
      type: 'user',
      message: { role: 'user', content: [text('[Request interrupted by user]')] },
    }
    expect(endOf(interruption, result({ subtype: 'error_during_execution' }))).toMatchObject({
      stopReason: 'aborted',
    })
  })

  test('a synthetic error message is an error, not text of the agent', () => {
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
        errorMessage: 'Error 500',
        content: [],
      },
    })
  })

  test('a run without a result ends as interrupted', () => {
    expect(endOf(assistant('m', text('half')))).toEqual({
      type: 'agent_end',
      stopReason: 'interrupted',
      interrupted: true,
    })
  })
})

describe('the end of a run', () => {
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

  test('a result does not end the run while a task works in the background', () => {
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

  test('--output-format json prints only the result, whose text is the answer', () => {
    expect(textOf(decode(result({ result: 'The answer.' })))).toBe('The answer.')
  })

  test('--output-format json --verbose prints all lines as one list', () => {
    expect(textOf(decode([init, assistant('m', text('Hi')), result({ result: 'Hi' })]))).toBe('Hi')
  })
})

test('1.0 has no status lines: a compaction starts at the boundary and ends with the summary', () => {
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

test('an unknown line becomes a raw event', () => {
  const line = { type: 'system', subtype: 'brand_new', more: true }
  expect(decode(line)).toEqual([{ type: 'raw', agent: 'claude', line }])
})
