import { expect, test } from 'vitest'
import { decoderOf, ofType, textOf } from '../support/decoded.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const decode = decoderOf('opencode')
let count = 0
const event = (type: string, properties: object) => {
  count += 1
  return { id: `evt_${count}`, type, properties: { sessionID: 'ses_1', ...properties } }
}
const message = (id: string, role: string, sessionID = 'ses_1', more: object = {}) =>
  event('message.updated', { sessionID, info: { id, role, sessionID, ...more } })
const part = (type: string, fields: object, messageID = 'msg_a', sessionID = 'ses_1') =>
  event('message.part.updated', { sessionID, part: { type, messageID, sessionID, ...fields } })
const delta = (partID: string, words: string) =>
  event('message.part.delta', { messageID: 'msg_a', partID, field: 'text', delta: words })
const idle = event('session.idle', {})
const opening = [
  message('msg_u', 'user'),
  part('text', { id: 'u', text: 'Hi' }, 'msg_u'),
  message('msg_a', 'assistant'),
  part('step-start', { id: 's' }),
]

test('the data lines of the event stream are read as they come from the server', () => {
  const { bytes } = recording('opencode-serve/1.18.33/shell-tool')
  const plain = bytes().toString().trimEnd().split('\n')
  const sse = plain.map((line) => `data: ${line}\n\n`).join('')
  const withNames = `: comment\nretry: 100\nevent: message\nid: 1\n${sse}`
  expect(decodeChunks('opencode', [Buffer.from(withNames)])).toEqual(
    decodeChunks('opencode', [bytes()]),
  )
})

test('the idle event comes twice after an error, and ends one run', () => {
  const failed = event('session.error', { error: { name: 'APIError', data: { message: 'no' } } })
  const events = decode(...opening, failed, idle, message('msg_a', 'assistant'), idle)
  expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'error', errorMessage: 'no' }])
})

test('an abort ends the message and the run as aborted', () => {
  const aborted = event('session.error', { error: { name: 'MessageAbortedError', data: {} } })
  const open = part('text', { id: 't', text: '', time: { start: 1 } })
  const events = decode(...opening, open, delta('t', 'Half'), aborted, idle)
  expect(textOf(events)).toBe('Half')
  expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
})

test('the output of a running tool is a snapshot that becomes deltas', () => {
  const state = (status: string, output: string) =>
    part('tool', {
      ...{ id: 't', callID: 'c', tool: 'bash' },
      state: { status, input: { command: 'x' }, output, metadata: { output } },
    })
  const lines = [state('running', 'a\n'), state('running', 'a\nb\n'), state('completed', 'a\nb\n')]
  const updates = ofType(decode(...opening, ...lines, idle), 'tool_execution_update')
  expect(updates.map(({ outputDelta }) => outputDelta)).toEqual(['a\n', 'b\n'])
})

test('what a subagent does belongs to its call', () => {
  const task = (status: string) =>
    part('tool', {
      ...{ id: 't', callID: 'call_task', tool: 'task' },
      state: { status, input: { prompt: 'p' }, output: '', metadata: { sessionId: 'ses_2' } },
    })
  const child = { id: 'ses_2', parentID: 'ses_1' }
  const events = decode(
    ...[...opening, event('session.created', { sessionID: 'ses_2', info: child })],
    ...[task('running'), message('msg_c', 'assistant', 'ses_2')],
    part('text', { id: 'c', text: 'Inside', time: { end: 1 } }, 'msg_c', 'ses_2'),
    ...[task('completed'), part('step-finish', { id: 'f', reason: 'stop' }), idle],
  )
  const inner = ofType(events, 'message_end').filter(({ parentToolCallId }) => parentToolCallId)
  expect(inner).toMatchObject([{ parentToolCallId: 'call_task' }])
})

test('lines of another session stay as they are', () => {
  const other = part('text', { id: 'x', text: 'Other', time: { end: 1 } }, 'msg_x', 'ses_9')
  const events = decode(...opening, other, idle)
  expect(ofType(events, 'raw')).toMatchObject([{ line: other }])
})

test('a prompt that joins a run is shown after the message that is open', () => {
  const events = decode(
    ...[...opening, part('text', { id: 't', text: 'One', time: { end: 1 } })],
    ...[message('msg_v', 'user'), part('text', { id: 'v', text: 'Two' }, 'msg_v')],
    ...[part('step-finish', { id: 'f', reason: 'stop' }), idle],
  )
  const roles = ofType(events, 'message_end').map(({ message }) => message.role)
  expect(roles).toEqual(['user', 'assistant', 'user'])
})
