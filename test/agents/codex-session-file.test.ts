import { expect, test } from 'vitest'
import { accountOf } from '../support/account.ts'
import { decodeLines } from '../support/recordings.ts'

let ordinal = 0
const line = (type: string, payload: object) => ({
  ...{ timestamp: '2026-11-15T22:57:53.727Z', ordinal: ordinal++, type, payload },
})
const event = (type: string, payload: object = {}) => line('event_msg', { type, ...payload })
const meta = () => line('session_meta', { id: 'thread', cwd: '/p', cli_version: '0.166.0' })
const started = (id: string) => event('task_started', { turn_id: id })
const item = (fields: object) => event('item_completed', { item: fields, started_at_ms: 1 })
const answer = (id: string, text: string) =>
  item({ type: 'AgentMessage', id, content: [{ type: 'Text', text }] })
const usage = (output: number) => ({ input_tokens: 10, output_tokens: output })
const record = (id: string, output: number) =>
  line('token_usage_record', { response_id: id, usage: usage(output) })
const count = (total: { input_tokens: number; output_tokens: number }, last: number) =>
  event('token_count', { info: { total_token_usage: total, last_token_usage: usage(last) } })

const decode = (lines: readonly unknown[]) => accountOf(decodeLines('codex', lines))

test('counts a call once, though its usage is written twice and repeated', () => {
  const total = { input_tokens: 10, output_tokens: 5 }
  const { tokens, answers } = decode([
    ...[meta(), started('t'), answer('a', 'Hi'), record('r', 5)],
    ...[count(total, 5), count(total, 5), event('task_complete')],
  ])
  expect(tokens).toMatchObject({ input: 10, output: 5 })
  expect(answers).toMatchObject([{ usage: { output: 5 } }])
})

test('counts an aborted call, which has counts and no record', () => {
  const { tokens, ends } = decode([
    ...[meta(), started('t'), record('r', 5), count({ input_tokens: 10, output_tokens: 5 }, 5)],
    ...[started('u'), count({ input_tokens: 20, output_tokens: 8 }, 3)],
    event('turn_aborted', { reason: 'interrupted' }),
  ])
  expect(tokens).toMatchObject({ input: 20, output: 8 })
  expect(ends).toEqual(['interrupted', 'aborted'])
})

test.each([
  ['go on', { input_tokens: 20, output_tokens: 12 }],
  ['do not include it', { input_tokens: 10, output_tokens: 7 }],
])('counts the call of a killed process, if the counts of the next one %s', (_, total) => {
  const { tokens, ends } = decode([
    ...[meta(), started('t'), answer('a', 'Wait'), record('r', 5)],
    ...[started('u'), answer('b', 'Done'), record('s', 7), count(total, 7)],
    event('task_complete'),
  ])
  expect(tokens).toMatchObject({ input: 20, output: 12 })
  expect(ends).toEqual(['interrupted', 'stop'])
})

test('shows a message and a call once, though the file has them twice', () => {
  const message = { type: 'message', role: 'assistant', id: 'a', content: [{ text: 'Hi' }] }
  const command = { type: 'CommandExecution', id: 'c', command: ['/bin/bash', '-lc', "echo 'a b'"] }
  const done = { cwd: 'file:///p/a%20b', status: 'completed', aggregated_output: 'a b\n' }
  const { answers, calls, results } = decode([
    ...[meta(), started('t'), answer('a', 'Hi'), line('response_item', message)],
    line('response_item', { type: 'function_call', call_id: 'c', name: 'exec_command' }),
    item({ ...command, ...done, exit_code: 0, duration: { secs: 1, nanos: 5e6 } }),
    line('response_item', { type: 'function_call_output', call_id: 'c', output: 'a b' }),
    event('task_complete'),
  ])
  expect(answers).toHaveLength(1)
  const input = { command: "echo 'a b'", cwd: '/p/a b' }
  expect(calls).toEqual([{ id: 'c', name: 'command_execution', input }])
  expect(results).toEqual([
    { toolCallId: 'c', content: [{ type: 'text', text: 'a b\n' }], isError: false },
  ])
})

test('shows file changes with their diff, and to-do lists', () => {
  const changes = {
    '/p/new.txt': { type: 'add', content: 'new\n' },
    '/p/a.txt': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: null },
  }
  const plan = [{ step: 'One', status: 'in_progress' }]
  const events = decodeLines('codex', [
    ...[meta(), started('t'), item({ type: 'FileChange', id: 'c', changes, status: 'completed' })],
    line('response_item', {
      type: 'function_call',
      name: 'update_plan',
      arguments: JSON.stringify({ plan }),
    }),
    event('task_complete'),
  ])
  expect(accountOf(events).calls[0]?.input).toEqual({
    changes: [
      { path: '/p/a.txt', kind: 'update', diff: '@@ -1 +1 @@\n-a\n+b\n' },
      { path: '/p/new.txt', kind: 'add', diff: 'new\n' },
    ],
  })
  expect(events).toContainEqual({
    type: 'session_update',
    todos: [{ text: 'One', state: 'in_progress' }],
  })
})

test('ends a failed turn with its error', () => {
  const events = decodeLines('codex', [
    ...[meta(), started('t'), event('task_complete', { error: { message: 'The model is away.' } })],
  ])
  expect(events.at(-1)).toMatchObject({
    type: 'agent_end',
    stopReason: 'error',
    errorMessage: 'The model is away.',
  })
})

test('shows a line that it does not recognise, and skips what only Codex needs', () => {
  const events = decodeLines('codex', [
    ...[meta(), line('world_state', {}), event('thread_settings_applied')],
    ...[line('new_kind', { a: 1 }), [], 'text'],
  ])
  expect(events.map(({ type }) => type)).toEqual(['session_start', 'raw', 'raw', 'raw'])
})
