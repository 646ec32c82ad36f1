import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { type Model, startModel } from './server.ts'

const delta = z.looseObject({ text: z.string().optional(), partial_json: z.string().optional() })
const frame = z.looseObject({ type: z.string(), delta: delta.optional() })
type Frame = z.infer<typeof frame>

let model: Model
beforeEach(async () => {
  model = await startModel()
})
afterEach(() => model.close())

test('text is a well-formed stream', async () => {
  const response = await send([prompt('text')])
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const frames = framesOf(await response.text())
  expect(frames.map(({ type }) => type)).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    ...Array(4).fill('content_block_delta'),
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(textOf(frames)).toBe('Hello from the model.')
  expect(frames[0]).toMatchObject({
    message: { role: 'assistant', usage: { input_tokens: 12, cache_read_input_tokens: 0 } },
  })
  expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' } })
})

test('a tool is called by the name that the agent offers; text follows', async () => {
  const called = framesOf(await (await send([prompt('tool')])).text())
  expect(called.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  expect(called.filter(({ type }) => type === 'content_block_start')[1]).toMatchObject({
    content_block: { type: 'tool_use', id: 'toolu_0001_1', name: 'Bash', input: {} },
  })
  const input = called.map(({ delta }) => delta?.partial_json ?? '').join('')
  expect(JSON.parse(input)).toEqual({ command: 'echo hello' })

  const answered = framesOf(await (await send([prompt('tool'), call, result])).text())
  expect(textOf(answered)).toBe('It ran.')
  expect(answered.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' } })
})

test('error fails every request', async () => {
  for (const _ of [1, 2]) {
    const response = await send([prompt('error')])
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  }
})

test('retry fails one request', async () => {
  expect((await send([prompt('retry')])).status).toBe(529)
  expect((await send([prompt('retry')])).status).toBe(200)
  expect(model.requests.map(({ kind }) => kind)).toEqual(['error', 'reply'])
})

test('retry-midstream stops one stream with an error event', async () => {
  const broken = framesOf(await (await send([prompt('retry-midstream')])).text())
  expect(broken.slice(-2).map(({ type }) => type)).toEqual(['content_block_delta', 'error'])
  const second = framesOf(await (await send([prompt('retry-midstream')])).text())
  expect(textOf(second)).toBe('Second try.')
})

test('drop closes the connection after the last delta', async () => {
  const response = await send([prompt('drop')])
  await expect(response.text()).rejects.toThrow('terminated')
})

test('close ends a stream that hangs', async () => {
  const response = await send([prompt('hang')])
  const rest = response.text()
  await Promise.all([expect(rest).rejects.toThrow('terminated'), model.close()])
})

test('the last prompt that names a scenario chooses it', async () => {
  const again = [prompt('tool'), call, result, call, prompt('text')]
  expect(textOf(framesOf(await (await send(again)).text()))).toBe('Hello from the model.')
  expect(model.requests[0]?.position).toEqual({ scenario: 'text', step: 0 })
})

test('a request without stream gets one JSON body', async () => {
  const response = await send([prompt('thinking')], { stream: false })
  expect(await response.json()).toMatchObject({
    content: [{ thinking: 'Let me think.' }, { text: 'I thought.' }],
    stop_reason: 'end_turn',
  })
})

test('other endpoints return minimal JSON', async () => {
  const counted = await fetch(`${model.url}/v1/messages/count_tokens`, { method: 'POST' })
  expect(await counted.json()).toEqual({ input_tokens: 1800 })
  expect(await (await fetch(`${model.url}/v1/unheard-of`)).json()).toEqual({})
})

const bash = { name: 'Bash', input_schema: { properties: { command: {} } } }
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_0001_1' }] }
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0001_1' }] }

function prompt(scenario: string): object {
  return { role: 'user', content: [{ type: 'text', text: `Do scenario:${scenario} please` }] }
}

function send(messages: object[], { stream = true } = {}): Promise<Response> {
  const body = JSON.stringify({ model: 'fake-sonnet', stream, messages, tools: [bash] })
  return fetch(`${model.url}/v1/messages`, { method: 'POST', body })
}

/** Checks the framing on the way: an event line and a data line each, of the same type. */
function framesOf(stream: string): Frame[] {
  const parts = stream.split('\n\n')
  expect(parts.pop()).toBe('')
  return parts.map((part) => {
    const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(part) ?? []
    const read = frame.parse(JSON.parse(data ?? ''))
    expect(read.type).toBe(name)
    return read
  })
}

function textOf(frames: Frame[]): string {
  return frames.map(({ delta }) => delta?.text ?? '').join('')
}
