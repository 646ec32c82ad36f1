import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { decoderOf, textOf } from '../support/decoded.ts'
import { begin, closing, opening, text } from '../support/pi-lines.ts'

const decode = decoderOf('pi')
const typesOf = (events: AgentEvent[]) => events.map(({ type }) => type)

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
    expect(typesOf(events).slice(-3, -1)).toEqual(['agent_end', 'compaction_start'])
    // The stream ended in the middle of it.
    expect(events.at(-1)).toEqual({ type: 'compaction_end', aborted: true })
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

  test('0.73: being told how full the context is ends no run that goes on behind a summary', () => {
    const failed = closing([], { stopReason: 'error', errorMessage: 'prompt is too long' })
    const contextUsage = { tokens: 900, contextWindow: 2000, percent: 45 }
    const stats = { type: 'response', command: 'get_session_stats', success: true, id: 'stats' }
    const events = decode(
      ...begin,
      opening(),
      failed,
      { type: 'turn_end' },
      { type: 'agent_end' },
      { type: 'compaction_start', reason: 'overflow' },
      { type: 'compaction_end', reason: 'overflow', result: { summary: 's' }, willRetry: true },
      { ...stats, data: { cost: 1, contextUsage } },
      { ...stats, data: { contextUsage: { tokens: null, contextWindow: null, percent: null } } },
      ...begin,
      opening(),
      closing([text('hi')]),
      { type: 'turn_end' },
      { type: 'agent_end' },
    )
    expect(typesOf(events).filter((type) => type === 'agent_end')).toHaveLength(1)
    expect(events).toContainEqual({
      type: 'session_update',
      contextTokens: 900,
      contextWindow: 2000,
    })
    expect(events.filter(({ type }) => type === 'session_update')).toHaveLength(2)
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
    kind: 'question',
    toolCallId: 't',
    toolName: 'bash',
    dialog: { kind: 'confirm', title: 'Sure?', message: 'rm' },
    timeoutMs: 9,
  })
  expect(events).toContainEqual({
    type: 'approval_resolved',
    approvalId: 'q',
    toolCallId: 't',
    action: 'deny',
    outcome: 'agent_gone',
  })
  expect(events.at(-1)).toMatchObject({ type: 'agent_end' })
})

test('an unknown line is kept whole', () => {
  const line = { type: 'brand_new', payload: { deep: [1, 2] } }
  expect(decode(line)).toEqual([{ type: 'raw', agent: 'pi', line }])
})
