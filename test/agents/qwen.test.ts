import { describe, expect, test } from 'vitest'
import { createQwenDecoder } from '../../src/agents/qwen/decode.ts'
import { qwen } from '../../src/agents/qwen/index.ts'
import { qwenLive } from '../../src/agents/qwen/live.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { createLedger } from '../../src/ledger/index.ts'
import { ofType, textOf } from '../support/decoded.ts'
import { decodeChunks, decodeLines, recording } from '../support/recordings.ts'

const init = {
  type: 'system',
  subtype: 'init',
  session_id: 's',
  model: 'qwen3-coder-plus',
  permission_mode: 'default',
}
const stream = (event: object, parent: string | null = null) => ({
  type: 'stream_event',
  parent_tool_use_id: parent,
  event,
})
const start = (id: string) =>
  stream({ type: 'message_start', message: { id, role: 'assistant', model: 'qwen3-coder-plus' } })
const delta = (text: string, index = 0) =>
  stream({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
const stop = stream({ type: 'message_stop' })
const none = { input_tokens: 0, output_tokens: 0 }
const some = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 40 }
const assistant = (id: string, block: object, usage: object = none) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, role: 'assistant', model: 'qwen3-coder-plus', content: [block], usage },
})
const text = (value: string) => ({ type: 'text', text: value })
const call = (id: string, name = 'run_shell_command') => ({
  type: 'tool_use',
  ...{ id, name, input: { command: 'ls' } },
})
const returned = (id: string, content: string, is_error = false) => ({
  type: 'user',
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error, content }] },
})
const retry = (data: object) => ({ type: 'system', subtype: 'retry', data })
const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  ...{ is_error: false, duration_ms: 5, num_turns: 1, usage: { ...some, input_tokens: 200 } },
  ...more,
})
const failed = (message: string, more: object = {}) =>
  result({ is_error: true, subtype: 'error_during_execution', error: { message }, ...more })

const decoded = (...lines: object[]): AgentEvent[] => {
  const events = decodeLines('qwen', [init, ...lines])
  expect(checkOrder(events)).toEqual([])
  return events
}

describe('traps of Qwen Code', () => {
  test('an error of the provider is printed as text, and is an error all the same', () => {
    const error = '[API Error: 400 fake bad request]'
    const lines = [start('a'), delta('Partial'), delta(error)]
    const whole = assistant('a', text(`Partial${error}`))
    const events = decoded(...lines, whole, stop, failed(error))
    expect(textOf(events)).toBe('Partial')
    expect(ofType(events, 'message_end')).toMatchObject([
      { message: { stopReason: 'error', errorMessage: 'Error 400: fake bad request' } },
    ])
    expect(events.at(-1)).toMatchObject({ stopReason: 'error' })
  })

  test('without partial messages, too', () => {
    const error = '[API Error: 400 fake bad request]'
    const events = decoded(assistant('a', text(error)), failed(error))
    expect(textOf(events)).toBe('')
    expect(events.at(-1)).toMatchObject({ errorMessage: 'Error 400: fake bad request' })
  })

  test('a model may write such a text: then it is shown', () => {
    const quoted = '[API Error: 400] means that'
    const lines = [start('a'), delta(quoted), assistant('a', text(quoted), some), stop]
    expect(textOf(decoded(...lines, result()))).toBe(quoted)
  })

  test('a retry that keeps the text continues the message', () => {
    const lines = [start('a'), delta('Partial tex'), retry({ preserveText: true })]
    const whole = 'Partial texSecond attempt ok.'
    const rest = [delta('Second attempt ok.'), assistant('a', text(whole), some), stop, result()]
    const events = decoded(...lines, ...rest)
    expect(textOf(events)).toBe(whole)
    expect(ofType(events, 'message_withdrawn')).toEqual([])
    expect(ofType(events, 'auto_retry_end')).toMatchObject([{ success: true }])
  })

  test('a retry that discards the text takes the message back', () => {
    const first = [start('a'), delta('Partial'), assistant('a', text('Partial')), stop]
    const again = [start('b'), delta('Whole.'), assistant('b', text('Whole.'), some), stop]
    const lost = retry({ preserveText: false, discardedToolCalls: 0, attempt: 1, delayMs: 60_000 })
    const events = decoded(...first, lost, ...again, result())
    expect(ofType(events, 'message_withdrawn')).toMatchObject([{ messageId: 'a' }])
    expect(ofType(events, 'auto_retry_start')).toMatchObject([{ attempt: 1, delayMs: 60_000 }])
  })

  test('a retry before any text takes back nothing, also not the answer before', () => {
    const lines = [assistant('a', call('c'), some), returned('c', 'x')]
    const lost = retry({ preserveText: false, discardedToolCalls: 0 })
    const events = decoded(
      ...lines,
      lost,
      assistant('b', text('Done.'), some),
      result(),
      init,
      lost,
    )
    expect(ofType(events, 'message_withdrawn')).toEqual([])
  })

  test('an interrupt is an error to Qwen Code, and no error to people', () => {
    const lines = [start('a'), delta('Hi'), assistant('a', text('Hi')), stop]
    expect(decoded(...lines, failed('Operation cancelled.')).at(-1)).toMatchObject({
      stopReason: 'aborted',
    })
  })

  test('a run without a result line was interrupted', () => {
    const lines = [assistant('a', call('c'), some), returned('c', 'x')]
    expect(decoded(...lines).at(-1)).toMatchObject({ interrupted: true })
  })

  test('the failure of a subagent looks like a result and does not end the run', () => {
    const agent = assistant('a', call('c', 'agent'), some)
    const failure = failed('The subagent failed.', { duration_ms: 0, usage: none })
    const rest = [returned('c', 'failed', true), assistant('b', text('Done.'), some), result()]
    const events = decoded(agent, failure, ...rest)
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(ofType(events, 'subagent_end')).toMatchObject([{ isError: true }])
  })

  test('every kind of block has an id and a count of its own, and all are one message', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.' }
    const lines = [
      assistant('a', thinking),
      assistant('b', text('Hi.')),
      assistant('c', call('d'), some),
    ]
    const events = decoded(...lines, returned('d', 'x'), result())
    expect(ofType(events, 'message_end')[0]).toMatchObject({
      messageId: 'a',
      message: { content: [{ type: 'thinking' }, { type: 'text' }, { type: 'toolCall' }] },
    })
  })

  test('the exit code of a command is in its report', () => {
    const report = 'Command: x\nExit Code: 3\nSignal: 0'
    const events = decoded(assistant('a', call('c'), some), returned('c', report, true), result())
    expect(ofType(events, 'tool_execution_end')).toMatchObject([{ exitCode: 3, isError: true }])
  })

  test('the usage counts the conversation, with hidden calls, and over a resume only once', () => {
    const ledger = createLedger()
    const first = decodeChunks('qwen', [recording('qwen/0.24.4/resume-continue').bytes()])
    for (const event of first) ledger.add(event)
    expect(ledger.totals()).toMatchObject({ input: 6000, cacheRead: 1200, output: 204 })
    ledger.nextProcess()
    for (const event of first) ledger.add(event)
    expect(ledger.totals()).toMatchObject({ input: 6000, cacheRead: 1200, output: 204 })
  })
})

test('a permission request names its call, its tool and its arguments', () => {
  const input = { command: 'ls' }
  const request = {
    type: 'control_request',
    request_id: 'r',
    request: { subtype: 'can_use_tool', tool_name: 'run_shell_command', tool_use_id: 'c', input },
  }
  const events = decoded(assistant('a', call('c'), some), request)
  expect(ofType(events, 'approval_request')).toMatchObject([
    { approvalId: 'r', kind: 'tool', toolCallId: 'c', toolName: 'run_shell_command', args: input },
  ])
  expect(ofType(events, 'approval_resolved')).toMatchObject([{ outcome: 'agent_gone' }])
})

test('it starts in the mode in which people decide, unless a person chose another one', () => {
  expect(qwenLive.args({})).toEqual(['--acp', '--approval-mode', 'default'])
  expect(qwenLive.args({ start: { mode: 'plan' } })).toContain('plan')
  expect(qwenLive.args({ extra: ['--yolo'] })).toEqual(['--acp', '--yolo'])
})

test('in a directory that nobody trusts it is refused, in a trusted one it starts as always', () => {
  const project = { version: '0.24.4', directory: '/project', paths: ['.qwen/settings.json'] }
  expect(qwen.startInProject?.({ ...project, isTrusted: false })?.refusal).toContain(
    'only together with your own settings and rules',
  )
  expect(qwen.startInProject?.({ ...project, isTrusted: true })).toEqual({ args: [] })
})

test('a run that continues a conversation says so with its counters', () => {
  const usage = { input_tokens: 1000, output_tokens: 10, cache_read_input_tokens: 0 }
  const result = { type: 'result', subtype: 'success', is_error: false, usage }
  const isResumed = (...extra: string[]) => {
    const decoder = createQwenDecoder({ extra })
    const updates = ofType([...decoder.push(init), ...decoder.push(result)], 'session_update')
    return updates.some(({ reported }) => reported?.isResumed === true)
  }
  for (const flags of [['--continue'], ['-c'], ['--resume', 'id'], ['--resume=id'], ['-r', 'id']])
    expect(isResumed(...flags)).toBe(true)
  expect(isResumed('--yolo')).toBe(false)
})
