import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/events/types.ts'
import { connectRig, initialized, readyRig } from '../../support/acp-rig.ts'

const permission = (id: number, toolCallId: string) => ({
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's1',
    toolCall: { toolCallId, title: 'touch a', kind: 'execute', rawInput: { command: 'touch a' } },
    options: [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'once', name: 'Once', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  },
})

const approvals = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'approval_request' ? [event] : []))

test('a prompt waits until the session is open', () => {
  const { connection, written, replies, answer, last, events } = connectRig()
  expect(connection.send({ type: 'prompt', id: 'c1', text: 'hi' })).toBe('replies')
  expect(written.map(({ method }) => method)).toEqual(['initialize'])
  answer(initialized())
  expect(last()).toMatchObject({
    method: 'session/new',
    params: { cwd: '/project', mcpServers: [] },
  })
  expect(replies).toEqual([])
  answer({ sessionId: 's1' })
  expect(last()).toMatchObject({
    method: 'session/prompt',
    params: { sessionId: 's1', prompt: [{ type: 'text', text: 'hi' }] },
  })
  expect(replies).toEqual([{ id: 'c1', ok: true }])
  answer({ stopReason: 'end_turn' })
  expect(events.map(({ type }) => type)).toEqual([
    'session_start',
    'session_update',
    'agent_start',
    'agent_end',
  ])
})

test('the ids of both sides overlap: a request of the agent is not the response to ours', () => {
  const { connection, written, events, receive, last } = readyRig()
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  const promptId = Number(last().id)
  receive(permission(promptId, 't1'))
  const [request] = approvals(events)
  if (!request) return expect.unreachable('no request')
  connection.send({ type: 'answer', id: 'c2', request, answer: { action: 'allow' } })
  expect(last()).toEqual({
    jsonrpc: '2.0',
    id: promptId,
    result: { outcome: { outcome: 'selected', optionId: 'once' } },
  })
  receive({ id: promptId, result: { stopReason: 'end_turn' } })
  expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
  expect(written.filter(({ method }) => method === 'session/prompt')).toHaveLength(1)
})

test('an answer names the option that a person chose, also if kinds repeat', () => {
  const { connection, events, receive, last } = readyRig()
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  receive(permission(7, 't1'))
  const [request] = approvals(events)
  if (!request) return expect.unreachable('no request')
  const answer = { action: 'allow', optionId: 'always' } as const
  connection.send({ type: 'answer', id: 'c2', request, answer })
  expect(last()).toMatchObject({ id: 7, result: { outcome: { optionId: 'always' } } })
})

test('an answer with other arguments rejects the call: the protocol cannot change them', () => {
  const { connection, events, receive, last } = readyRig()
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  receive(permission(7, 't1'))
  const [request] = approvals(events)
  if (!request) return expect.unreachable('no request')
  const answer = { action: 'allow', updatedInput: { command: 'ls' } } as const
  connection.send({ type: 'answer', id: 'c2', request, answer })
  expect(last()).toMatchObject({ result: { outcome: { outcome: 'selected', optionId: 'no' } } })
})

test('an abort also answers the open permission requests: some agents wait for ever otherwise', () => {
  const { connection, written, receive } = readyRig()
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  receive(permission(7, 't1'))
  connection.send({ type: 'abort', id: 'c2' })
  expect(written.slice(-2)).toEqual([
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } },
    { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'cancelled' } } },
  ])
})

test('a rejected call ends when the agent goes on without a word about it', () => {
  const { connection, events, receive } = readyRig({}, 'gemini-cli')
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  receive(permission(7, 't1'))
  const [request] = approvals(events)
  if (!request) return expect.unreachable('no request')
  connection.send({ type: 'answer', id: 'c2', request, answer: { action: 'deny' } })
  const content = { type: 'text', text: 'It was denied.' }
  const update = { sessionUpdate: 'agent_message_chunk', content }
  receive({ method: 'session/update', params: { sessionId: 's1', update } })
  expect(events.find(({ type }) => type === 'tool_execution_end')).toMatchObject({
    isError: true,
    result: { content: [{ text: 'The call was rejected.' }] },
  })
})

test('a second prompt joins the run only where the agent joins them', () => {
  const steer = { type: 'steer', id: 'c2', text: 'more' } as const
  const other = readyRig()
  other.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  expect(other.connection.send(steer)).toBe('unsupported')

  const joined = readyRig({}, 'OpenCode')
  joined.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  const first = joined.last().id
  expect(joined.connection.send(steer)).toBe('replies')
  joined.receive({ id: first, result: { stopReason: 'end_turn' } })
  expect(joined.events.at(-1)?.type).toBe('agent_start')
  joined.answer({ stopReason: 'end_turn' })
  expect(joined.events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
})

test('a prompt that joins a run is shown where the model reads it', () => {
  const { connection, receive, events } = readyRig({}, 'OpenCode')
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  const chunk = (messageId: string) => ({
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: {
        ...{ sessionUpdate: 'agent_message_chunk', messageId },
        content: { type: 'text', text: messageId },
      },
    },
  })
  receive(chunk('one'))
  connection.send({ type: 'steer', id: 'c2', text: 'more' })
  receive(chunk('one'))
  receive(chunk('two'))
  expect(events.flatMap((event) => (event.type === 'message_start' ? [event] : []))).toMatchObject([
    { messageRole: 'assistant' },
    { messageRole: 'user', messageId: 'c2' },
    { messageRole: 'assistant' },
  ])
})

test('a prompt that joined a run is shown if the run ends well, and not if it was stopped', () => {
  const shown = (stopReason: string) => {
    const { connection, answer, receive, last, events } = readyRig({}, 'OpenCode')
    connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
    const first = last().id
    connection.send({ type: 'steer', id: 'c2', text: 'more' })
    receive({ id: first, result: { stopReason } })
    answer({ stopReason })
    return events.filter(({ type }) => type === 'message_end')
  }
  expect(shown('end_turn')).toMatchObject([{ messageId: 'c2', message: { role: 'user' } }])
  expect(shown('cancelled')).toEqual([])
})

test('an unknown request is refused, and an unknown notification is no error', () => {
  const { last, receive, events } = readyRig()
  const count = events.length
  receive({ id: 0, method: 'craft/drainMidTurnQueue', params: {} })
  expect(last()).toMatchObject({ id: 0, error: { code: -32_601 } })
  receive({ method: '_auth/status_update', params: {} })
  expect(events).toHaveLength(count)
})

test('text after the answer to the prompt is shown, and opens no run that nothing would end', () => {
  const { connection, answer, receive, events } = readyRig()
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  answer({ stopReason: 'end_turn' })
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Late.' } }
  receive({ method: 'session/update', params: { sessionId: 's1', update } })
  expect(events.slice(-2)).toMatchObject([
    { type: 'message_start', messageRole: 'custom' },
    { type: 'message_end', message: { content: [{ text: 'Late.' }] } },
  ])
})
