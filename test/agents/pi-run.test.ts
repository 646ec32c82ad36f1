import { describe, expect, test } from 'vitest'
import { pi } from '../../src/agents/pi/index.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { decoderOf, ofType, textOf } from '../support/decoded.ts'
import { begin, closing, opening, text } from '../support/pi-lines.ts'

const decode = decoderOf('pi')
const typesOf = (events: AgentEvent[]) => events.map(({ type }) => type)

describe('the end of a run', () => {
  test('in print mode without agent_end, the last turn_end ends the run', () => {
    const events = decode(...begin, opening(), closing([text('hi')]), {
      type: 'turn_end',
      message: { stopReason: 'stop' },
    })
    expect(events.at(-1)).toEqual({ type: 'agent_end', stopReason: 'stop' })
  })

  test('0.73: an attempt that succeeded ends the run at once', () => {
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
    // The stream ended during the compaction.
    expect(events.at(-1)).toEqual({ type: 'compaction_end', aborted: true })
  })

  describe('0.73: after a failed attempt, the state of Pi says whether the run is over', () => {
    const failed = [
      ...begin,
      opening(),
      closing([], { stopReason: 'error', errorMessage: '400 not valid' }),
      { type: 'turn_end' },
      { type: 'agent_end' },
    ]
    const state = (isStreaming: boolean, isCompacting = false) => ({
      type: 'response',
      command: 'get_state',
      success: true,
      data: { isStreaming, isCompacting },
    })
    const retry = { type: 'auto_retry_start', attempt: 1, delayMs: 5, errorMessage: 'overloaded' }
    const endsAfter = (...lines: unknown[]) => {
      const decoder = pi.createDecoder()
      return lines.flatMap((line) => decoder.push(line)).filter(({ type }) => type === 'agent_end')
    }

    test('an idle Pi ends it, with the error', () => {
      expect(endsAfter(...failed)).toEqual([])
      expect(endsAfter(...failed, state(false))).toMatchObject([
        { stopReason: 'error', errorMessage: 'Error 400: not valid' },
      ])
    })

    test('a Pi that works, compacts or waits for a retry does not', () => {
      expect(endsAfter(...failed, state(true))).toEqual([])
      expect(endsAfter(...failed, state(false, true))).toEqual([])
      expect(endsAfter(...failed, retry, state(false))).toEqual([])
    })
  })

  test('0.73: after a failed attempt, a retry continues the run', () => {
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

  test('0.73: a failed attempt without a retry ends the run at the next response', () => {
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

  test('0.73: the session stats after a compaction do not end the run', () => {
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

  test('the messages after a compaction say which ones Pi kept, and do not end the run', () => {
    const reply = (...messages: object[]) =>
      decode({ ...begin[0] }, { type: 'response', command: 'get_messages', data: { messages } })
    const summary = { role: 'compactionSummary', timestamp: 30 }
    const kept = { role: 'user', timestamp: 20 }
    const system = { role: 'system', timestamp: 30 }
    expect(reply(system, summary, kept, { role: 'assistant', timestamp: 21 }).slice(2)).toEqual([
      { type: 'session_update', keptFrom: { role: 'user', timestamp: 20 } },
      expect.objectContaining({ type: 'agent_end', interrupted: true }),
    ])
    // Nothing was kept: what follows the summary is newer.
    expect(ofType(reply(summary, { role: 'user', timestamp: 31 }), 'session_update')).toEqual([])
    expect(ofType(reply(summary), 'session_update')).toEqual([])
    expect(ofType(reply(kept), 'session_update')).toEqual([])
  })

  test('agent_end alone does not end the run in a version with agent_settled', () => {
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

  test('every call has a result before the run ends, and a late one follows', () => {
    const tool = { toolCallId: 't', toolName: 'bash' }
    const called = [...begin, { type: 'tool_execution_start', ...tool, args: {} }]
    const content = [text('a.txt')]
    const ended = { type: 'tool_execution_end', ...tool, result: { content }, isError: false }
    const reported = {
      type: 'message_end',
      message: { role: 'toolResult', ...tool, content, isError: false },
    }
    const resultsOf = (...lines: object[]) => {
      const events = decode(...called, ...lines)
      expect(checkOrder(events)).toEqual([])
      expect(ofType(events, 'tool_call')).toHaveLength(1)
      expect(events.at(-1)?.type).toBe('agent_end')
      return ofType(events, 'tool_result').map(({ message }) => message)
    }
    const whole = { role: 'toolResult', ...tool, content, isError: false }
    const cut = {
      ...whole,
      content: [text('Interrupted: the call returned no result.')],
      isError: true,
    }
    const interrupted = { ...cut, interrupted: true }
    expect(resultsOf()).toEqual([interrupted])
    expect(resultsOf(ended)).toEqual([whole])
    expect(resultsOf(ended, { type: 'agent_end' }, reported)).toEqual([whole])
    expect(resultsOf({ type: 'agent_end' }, ended, reported, reported)).toEqual([
      interrupted,
      whole,
    ])
  })

  test('an abort that is only in the error text is an abort', () => {
    const cut = closing([], { stopReason: 'error', errorMessage: 'This operation was aborted' })
    const events = decode(...begin, opening(), cut, { type: 'turn_end' }, { type: 'agent_end' })
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'aborted' })
  })
})

test('a dialog of an extension names the call that waits for it, and ends with the agent', () => {
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

test('an unknown line becomes a raw event', () => {
  const line = { type: 'brand_new', payload: { deep: [1, 2] } }
  expect(decode(line)).toEqual([{ type: 'raw', agent: 'pi', line }])
})

test('an editor dialog has the text that a person starts with', () => {
  const request = { type: 'extension_ui_request', id: 'd', method: 'editor', title: 'Edit' }
  const events = decode({ ...request, prefill: 'Draft' })
  expect(ofType(events, 'approval_request')[0]?.dialog).toEqual({
    kind: 'editor',
    title: 'Edit',
    prefill: 'Draft',
  })
})
