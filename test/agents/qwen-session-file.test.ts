import { expect, test } from 'vitest'
import { accountOf } from '../support/account.ts'
import { decodeLines } from '../support/recordings.ts'

let count = 0
const line = (type: string, fields: object) => ({
  ...{ uuid: `u${count++}`, parentUuid: null, sessionId: 's', type, cwd: '/p', version: '0.24.4' },
  timestamp: '2026-11-15T22:59:54.893Z',
  ...fields,
})
const prompt = (text: string, more: object = {}) =>
  line('user', { provenance: 'real_user', message: { role: 'user', parts: [{ text }] }, ...more })
const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, cachedContentTokenCount: 4 }
const answer = (parts: object[], more: object = { usageMetadata }) =>
  line('assistant', { model: 'q', message: { role: 'model', parts }, ...more })
const system = (subtype: string, systemPayload: object) =>
  line('system', { subtype, systemPayload })
const response = (more: object = {}) =>
  system('ui_telemetry', {
    uiEvent: {
      ...{ 'event.name': 'qwen-code.api_response', model: 'q', input_token_count: 10 },
      ...{ output_token_count: 5, cached_content_token_count: 4, ...more },
    },
  })
const call = { functionCall: { id: 'c', name: 'run_shell_command', args: { command: 'ls' } } }

const decode = (lines: readonly unknown[]) => accountOf(decodeLines('qwen', lines))

test('counts a call once, though its usage is in the answer and in the telemetry', () => {
  const { tokens } = decode([prompt('Hi'), response(), answer([{ text: 'Hi' }])])
  expect(tokens).toMatchObject({ input: 6, output: 5, cacheRead: 4 })
})

test('counts calls that no answer shows', () => {
  const { tokens, answers } = decode([
    ...[prompt('Hi'), response(), answer([{ text: 'Hi' }])],
    response({ subagent_name: 'managed-auto-memory-extractor' }),
    ...[prompt('More'), response(), answer([{ text: 'More' }])],
  ])
  expect(answers).toHaveLength(2)
  expect(tokens).toMatchObject({ input: 18, output: 15, cacheRead: 12 })
})

test('counts the calls of a subagent, also in a run that was stopped', () => {
  const { tokens, ends } = decode([
    ...[prompt('Hi'), response(), answer([call]), response({ subagent_name: 'general-purpose' })],
  ])
  expect(tokens).toMatchObject({ input: 12, output: 10 })
  expect(ends).toEqual(['interrupted'])
})

test('ends the run of an answer that was stopped, which has no usage', () => {
  const { answers, ends } = decode([
    ...[prompt('Go'), answer([{ text: 'Part' }], {})],
    ...[prompt('More'), response(), answer([{ text: 'More' }], {})],
  ])
  expect(answers).toMatchObject([
    { content: [{ type: 'text', text: 'Part' }] },
    { content: [{ type: 'text', text: 'More' }] },
  ])
  expect(ends).toEqual(['interrupted', 'stop'])
})

test('ends the run of a failed call with its error', () => {
  const error = { 'event.name': 'qwen-code.api_error', error_message: 'The model is away.' }
  const lines = [prompt('Go'), system('ui_telemetry', { uiEvent: error })]
  expect(decodeLines('qwen', lines).at(-1)).toMatchObject({
    ...{ type: 'agent_end', stopReason: 'error', errorMessage: 'The model is away.' },
  })
})

test.each([
  [
    'the text that people see',
    { resultDisplay: { text: 'a' } },
    { output: 'Output: a' },
    'a',
    false,
  ],
  [
    'what the model gets',
    { resultDisplay: { type: 'x' } },
    { output: 'Output: a' },
    'Output: a',
    false,
  ],
  ['an error', { status: 'error', error: {} }, { error: 'Not found.' }, 'Not found.', true],
])('shows the result of a call: %s', (_, result, given, text, isError) => {
  const functionResponse = { id: 'c', name: 'run_shell_command', response: given }
  const { results, ends } = decode([
    ...[prompt('Go'), answer([call])],
    line('tool_result', {
      message: { role: 'user', parts: [{ functionResponse }] },
      toolCallResult: { callId: 'c', ...result },
    }),
    answer([{ text: 'Done.' }]),
  ])
  expect(results).toEqual([{ toolCallId: 'c', content: [{ type: 'text', text }], isError }])
  expect(ends).toEqual(['stop'])
})

test('shows titles, compressions and messages between the calls of a run', () => {
  const events = decodeLines('qwen', [
    ...[prompt('Go'), answer([{ text: 'One.' }, call])],
    prompt('Faster', { subtype: 'mid_turn_user_message' }),
    ...[answer([{ text: 'Two.' }]), system('custom_title', { customTitle: 'A title' })],
    system('chat_compression', { info: { originalTokenCount: 9, newTokenCount: 3 } }),
    system('attribution_snapshot', {}),
  ])
  expect(events).toContainEqual({ type: 'session_update', name: 'A title' })
  expect(events).toContainEqual({
    ...{ type: 'compaction_end', summary: '', tokensBefore: 9, tokensAfter: 3 },
  })
  expect(events.filter(({ type }) => type === 'agent_end')).toHaveLength(1)
})
