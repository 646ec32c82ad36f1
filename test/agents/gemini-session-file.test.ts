import { expect, test } from 'vitest'
import { accountOf } from '../support/account.ts'
import { decodeLines } from '../support/recordings.ts'

const header = { sessionId: 's', projectHash: 'h', startTime: '2026-11-15T22:59:23.862Z' }
const timestamp = '2026-11-15T22:59:23.862Z'
const prompt = (id: string, text: string) => ({ id, timestamp, type: 'user', content: [{ text }] })
const tokens = { input: 10, output: 5, cached: 4, thoughts: 2, tool: 0, total: 17 }
const answer = (id: string, content: string, more: object = {}) => ({
  ...{ id, timestamp, type: 'gemini', content, thoughts: [], tokens, model: 'g' },
  ...more,
})
const call = { id: 'c', name: 'write_file', args: { path: 'a' }, timestamp }
const done = { ...call, status: 'success', resultDisplay: 'Wrote a.' }
const update = (fields: object) => ({ $set: fields })

const decode = (lines: readonly unknown[]) => accountOf(decodeLines('gemini', lines))

test('counts a message once, though it is written again with the results of its calls', () => {
  const {
    answers,
    calls,
    results,
    tokens: counted,
  } = decode([
    ...[header, prompt('u', 'Go'), answer('a', 'Now.'), update({ lastUpdated: timestamp })],
    ...[answer('a', 'Now.', { toolCalls: [done] }), answer('b', 'Done.')],
  ])
  expect(answers).toHaveLength(2)
  expect(calls).toHaveLength(1)
  expect(results).toMatchObject([{ content: [{ text: 'Wrote a.' }], isError: false }])
  expect(counted).toMatchObject({ input: 12, output: 14, cacheRead: 8, reasoning: 4 })
})

test('shows no message again that a resumed session repeats', () => {
  const context = prompt('x', '<session_context>\n- **Workspace Directories:**\n  - /p\n')
  const lines = [header, update({ messages: [context] }), prompt('u', 'Go'), answer('a', 'Done.')]
  const repeated = [
    context,
    prompt('u', 'Go'),
    { ...answer('a', ''), content: [{ text: 'Done.' }] },
  ]
  const again = [header, update({ messages: [context] }), update({ messages: repeated })]
  const resumed = [prompt('v', 'More'), answer('b', 'More.')]
  const { answers, ends, tokens: counted } = decode([...lines, ...again, ...resumed])
  expect(answers).toHaveLength(2)
  expect(ends).toEqual(['stop', 'stop'])
  expect(counted).toMatchObject({ input: 12, output: 14 })
  const [start] = decodeLines('gemini', lines)
  expect(start).toMatchObject({ type: 'session_start', nativeId: 's', cwd: '/p' })
})

test('shows the messages with which a file begins', () => {
  const functionCall = { id: 'c', name: 'ls', args: {} }
  const functionResponse = { id: 'c', name: 'ls', response: { output: 'a' } }
  const asked = { ...answer('a', ''), tokens: null, content: [{ text: 'Now.' }, { functionCall }] }
  const results = { ...prompt('r', ''), content: [{ functionResponse }] }
  const messages = [prompt('u', 'Go'), asked, results, answer('b', 'Done.')]
  const account = decode([header, update({ messages })])
  expect(account.results).toMatchObject([{ toolCallId: 'c', content: [{ text: 'a' }] }])
  expect(account.answers).toHaveLength(2)
  expect(account.ends).toEqual(['stop'])
})

test('ends the run of an aborted answer, of which the file has only the prompt', () => {
  const lines = [header, prompt('u', 'Wait'), prompt('v', 'Again'), answer('a', 'Done.')]
  expect(decode(lines).ends).toEqual(['interrupted', 'stop'])
  expect(decode(lines.slice(0, 2)).ends).toEqual(['interrupted'])
})

test('shows calls that fail, and errors of the model', () => {
  const response = { error: 'There is no such file.' }
  const failed = { ...call, status: 'error', result: [{ functionResponse: { response } }] }
  const { results, ends } = decode([
    ...[header, prompt('u', 'Go'), answer('a', '', { toolCalls: [failed] })],
    { id: 'e', timestamp, type: 'error', content: 'The model is away.' },
  ])
  expect(results).toMatchObject([{ content: [{ text: response.error }], isError: true }])
  expect(ends).toEqual(['error'])
})
