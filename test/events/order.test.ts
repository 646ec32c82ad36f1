import { expect, test } from 'vitest'
import { interruptCall } from '../../src/events/missing-result.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent } from '../../src/events/types.ts'

const start: AgentEvent = { type: 'agent_start' }
const end: AgentEvent = { type: 'agent_end' }
const open: AgentEvent = { type: 'message_start', messageRole: 'assistant', messageId: 'm' }
const update: AgentEvent = {
  type: 'message_update',
  messageId: 'm',
  assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'x' },
}
const done: AgentEvent = {
  type: 'message_update',
  messageId: 'm',
  assistantMessageEvent: { type: 'done' },
}
const close: AgentEvent = {
  type: 'message_end',
  messageId: 'm',
  message: { role: 'assistant', content: [] },
}
const tool = { toolCallId: 't', toolName: 'bash' }
const call: AgentEvent = { type: 'tool_call', ...tool, input: {} }
const begin: AgentEvent = { type: 'tool_execution_start', ...tool }
const output: AgentEvent = { type: 'tool_execution_update', ...tool, outputDelta: 'x' }
const finish: AgentEvent = { type: 'tool_execution_end', ...tool }
const result: AgentEvent = {
  type: 'tool_result',
  message: { role: 'toolResult', ...tool, content: [], isError: false },
}

const rulesOf = (...events: AgentEvent[]) =>
  checkOrder(events).map(({ type, rule }) => `${type}: ${rule}`)

test('a complete run has no violations', () => {
  expect(
    rulesOf(start, open, update, done, close, call, begin, output, finish, result, end),
  ).toEqual([])
})

test('queue, compaction and retry events can arrive at any point', () => {
  const anywhere: AgentEvent[] = [
    { type: 'queue_update', queued: { steering: [], followUp: [] } },
    { type: 'compaction_start' },
    { type: 'compaction_end' },
    { type: 'auto_retry_start', attempt: 1, delayMs: 0, reason: 'overloaded' },
  ]
  const run = [start, open, update, done, close, call, begin, output, finish, result, end]
  expect(rulesOf(...anywhere, ...run.flatMap((event) => [event, ...anywhere]))).toEqual([])
})

test.each<[string, AgentEvent[], string]>([
  ['a message outside a run', [open], 'must be between'],
  ['a run inside a run', [start, start, end], 'already open'],
  ['an end without a start', [end], 'no run is open'],
  ['a stream that ends in a run', [start], 'ended inside a run'],
  ['an update before its message', [start, update, end], 'is not open'],
  ['a message without done', [start, open, update, close, end], 'done or error'],
  ['an update after done', [start, open, done, update, done, close, end], 'no update follows'],
  ['two messages at once on a thread', [start, open, { ...open, messageId: 'n' }], 'still open'],
  ['a message id twice', [start, open, done, close, open], 'already exists'],
  ['a tool that starts without a call', [start, begin, finish, end], 'not called'],
  ['output before the start', [start, call, output], 'is called'],
  ['a result before the end', [start, call, begin, result], 'is started'],
  ['a tool left open', [start, call, begin, end], 'is still started'],
  ['a call without a result', [start, call, begin, finish, end], 'is still ended'],
  ['two results of one call', [start, call, begin, finish, result, result], 'is reported'],
  ['a message left open', [start, open, end], 'message is still open'],
  [
    'a session start in the middle',
    [start, end, { type: 'session_start', agent: 'pi' }],
    'comes first',
  ],
  [
    'a withdrawal of nothing',
    [{ type: 'message_withdrawn', messageId: 'x', reason: 'retried' }],
    'does not exist',
  ],
  [
    'a run that ends while its prompt is on its way',
    [
      start,
      { type: 'message_start', messageRole: 'user', messageId: 'p' },
      {
        type: 'message_end',
        messageId: 'p',
        message: { role: 'user', content: [], delivery: 'sent' },
      },
      end,
    ],
    'on its way',
  ],
])('%s is a violation', (_, events, rule) => {
  expect(rulesOf(...events).join('\n')).toContain(rule)
})

test('threads and parallel tools interleave', () => {
  const inner = { parentToolCallId: 't' }
  const other: AgentEvent = { type: 'tool_call', toolCallId: 'u', toolName: 'bash', input: {} }
  const events: AgentEvent[] = [
    start,
    open,
    call,
    begin,
    { type: 'message_start', messageRole: 'assistant', messageId: 'n', ...inner },
    other,
    { type: 'tool_execution_start', toolCallId: 'u', toolName: 'bash' },
    finish,
    result,
    { type: 'tool_execution_end', toolCallId: 'u', toolName: 'bash' },
    {
      type: 'tool_result',
      message: { role: 'toolResult', ...tool, toolCallId: 'u', content: [], isError: false },
    },
    { type: 'message_update', messageId: 'n', assistantMessageEvent: { type: 'done' }, ...inner },
    { type: 'message_end', messageId: 'n', message: { role: 'assistant', content: [] }, ...inner },
    done,
    close,
    end,
  ]
  expect(checkOrder(events)).toEqual([])
})

test('the result of a call that was interrupted can still come, once', () => {
  const cut = [start, call, begin, ...interruptCall(tool)]
  expect(rulesOf(...cut, end)).toEqual([])
  expect(rulesOf(...cut, end, start, result, end)).toEqual([])
  expect(rulesOf(...cut, result, result, end)).toEqual(['tool_result: tool t is reported'])
  expect(rulesOf(...cut, call, begin, finish, result, end)).toEqual([])
})

test('a tool id can be reused after its tool ended', () => {
  expect(rulesOf(start, call, begin, finish, result, call, begin, finish, result, end)).toEqual([])
})
