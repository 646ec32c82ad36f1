import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { type Model, startModel } from './server.ts'

const frame = z.looseObject({
  type: z.string(),
  delta: z.string().optional(),
  item: z.looseObject({ type: z.string() }).optional(),
})

let model: Model
beforeEach(async () => {
  model = await startModel()
})
afterEach(() => model.close())

const user = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})
const tools = [
  { type: 'function', name: 'exec_command', parameters: { properties: { cmd: {} } } },
  { type: 'custom', name: 'apply_patch' },
]

const send = (input: object[]) =>
  fetch(`${model.url}/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-5.5', stream: true, input, tools }),
  })

const framesOf = async (response: Response) =>
  [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data = '']) =>
    frame.parse(JSON.parse(data)),
  )

test('text is a well-formed stream', async () => {
  const frames = await framesOf(await send([user('scenario:text')]))
  expect(frames.map(({ type }) => type)).toEqual([
    'response.created',
    'response.output_item.added',
    ...Array(4).fill('response.output_text.delta'),
    'response.output_item.done',
    'response.completed',
  ])
  expect(frames.map(({ delta = '' }) => delta).join('')).toBe('Hello from the model.')
  expect(frames.at(-1)).toMatchObject({ response: { usage: { input_tokens: 1800 } } })
})

test('a command has the name and the argument of the agent’s own tool', async () => {
  const called = await framesOf(await send([user('scenario:tool')]))
  const call = called.findLast(({ item }) => item?.type === 'function_call')
  expect(call?.item).toMatchObject({ name: 'exec_command', arguments: '{"cmd":"echo hello"}' })
  const items = [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Running it.' }] },
    { type: 'function_call', call_id: 'call_1_1' },
    { type: 'function_call_output', call_id: 'call_1_1', output: 'hello' },
  ]
  const answered = await framesOf(await send([user('scenario:tool'), ...items]))
  expect(answered.map(({ delta = '' }) => delta).join('')).toBe('It ran.')
})

test('a patch is the text of a freeform call', async () => {
  const called = await framesOf(await send([user('scenario:patch')]))
  const call = called.findLast(({ item }) => item?.type === 'custom_tool_call')
  expect(call?.item?.input).toContain('*** Begin Patch')
})

test('failures are an error response, or an event in the stream', async () => {
  const failed = await send([user('scenario:retry')])
  expect(failed.status).toBe(529)
  expect(await failed.json()).toMatchObject({ error: { message: 'Overloaded' } })
  const broken = await framesOf(await send([user('scenario:retry-midstream')]))
  expect(broken.at(-1)?.type).toBe('response.failed')
})
