import { expect, test } from 'vitest'
import { readyRig } from '../../support/acp-rig.ts'
import { ofType, textOf } from '../../support/decoded.ts'

const update = (fields: object, sessionId = 's1') => ({
  method: 'session/update',
  params: { sessionId, update: fields },
})
const chunk = (text: string, more: object = {}) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more })

const prompted = (name?: string) => {
  const rig = readyRig({}, name)
  rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  const promptId = rig.last().id
  const end = () => rig.receive({ id: promptId, result: { stopReason: 'end_turn' } })
  return { ...rig, end }
}

test.each([
  ['with the id null', { id: null }],
  ['without an id', {}],
])('an error about a line that was no JSON answers no prompt, %s', (_, id) => {
  const { receive, replies, events, end } = prompted()
  receive({ ...id, error: { code: -32_700, message: 'Parse error' } })
  expect(ofType(events, 'agent_end')).toEqual([])
  receive(chunk('All', {}))
  end()
  expect(textOf(events)).toBe('All')
  expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
  expect(replies).toEqual([{ id: 'c1', ok: true }])
})

test('a request whose id is a text gets its answer under that text', () => {
  const { receive, connection, events, last } = prompted()
  const options = [{ optionId: 'approved', name: 'Yes', kind: 'allow_once' }]
  const toolCall = { toolCallId: 't1', title: 'Edit', kind: 'edit' }
  receive({
    id: '0b9c2e5e-6f0f-4a53-8a0e-4a4f2f8a7a11',
    method: 'session/request_permission',
    params: { sessionId: 's1', toolCall, options },
  })
  const [request] = ofType(events, 'approval_request')
  if (!request) return expect.unreachable('no request')
  connection.send({ type: 'answer', id: 'c2', request, answer: { action: 'allow' } })
  expect(last()).toMatchObject({
    id: '0b9c2e5e-6f0f-4a53-8a0e-4a4f2f8a7a11',
    result: { outcome: { optionId: 'approved' } },
  })
})

test('an empty text that only carries the usage of a call is no message', () => {
  const { receive, events, end } = prompted('qwen-code')
  receive(chunk('Done.'))
  receive(chunk('', { _meta: { usage: { inputTokens: 100, outputTokens: 5 } } }))
  end()
  const texts = ofType(events, 'message_end').filter(({ message }) => message.role === 'assistant')
  expect(texts).toHaveLength(1)
  expect(textOf(events)).toBe('Done.')
})

test('an agent that withdraws its own request gets no answer to it', () => {
  const { receive, events, end } = prompted()
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
  const toolCall = { toolCallId: 't1', title: 'Run', kind: 'execute' }
  receive({
    id: 5,
    method: 'session/request_permission',
    params: { sessionId: 's1', toolCall, options },
  })
  receive({ method: '$/cancel_request', params: { requestId: 5 } })
  end()
  expect(ofType(events, 'approval_request')).toHaveLength(1)
  expect(ofType(events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
  expect(ofType(events, 'agent_end')).toHaveLength(1)
})

test('a line of half a megabyte is read like any other', () => {
  const { receive, events } = readyRig()
  const commands = Array.from({ length: 200 }, (_, index) => ({
    name: `skill-${index}`,
    description: 'x'.repeat(2800),
  }))
  receive(update({ sessionUpdate: 'available_commands_update', availableCommands: commands }))
  const { commands: listed } = ofType(events, 'session_update').at(-1) ?? {}
  expect(listed?.length).toBeGreaterThan(0)
})

test('lines that are no objects, and answers to nothing, change nothing', () => {
  const { connection, events, replies, end } = prompted()
  const before = events.length
  for (const line of [null, [], 'text', 42, {}, { jsonrpc: '2.0', id: 999, result: {} }])
    events.push(...connection.decoder.push(line))
  const added = events.slice(before).map(({ type }) => type)
  expect(added.filter((type) => type !== 'raw')).toEqual([])
  end()
  expect(replies).toEqual([{ id: 'c1', ok: true }])
})
