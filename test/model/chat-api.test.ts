import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { type Model, startModel } from './server.ts'

const toolCallDelta = z.object({
  index: z.number(),
  id: z.string().optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string() }),
})
const chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(toolCallDelta).optional(),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.record(z.string(), z.unknown()).optional(),
})

let model: Model
beforeEach(async () => {
  model = await startModel()
})
afterEach(() => model.close())

test('text is chunks, then the usage, then [DONE]', async () => {
  const chunks = chunksOf(await (await send([prompt('text')])).text())
  expect(textOf(chunks)).toBe('Hello from the model.')
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 1812 } })
})

test('thinking is reasoning content', async () => {
  const chunks = chunksOf(await (await send([prompt('thinking')])).text())
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe('Let me think.')
})

test('parallel calls have an index each, and the arguments of the schema', async () => {
  const chunks = chunksOf(await (await send([prompt('parallel')])).text())
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  const names = calls.flatMap((call) => call.function.name ?? [])
  expect(names).toEqual(['run_shell_command', 'run_shell_command', 'read_file'])
  expect(inputOf(calls, 0)).toEqual({ command: 'sleep 0.3; echo slow', is_background: false })
  expect(inputOf(calls, 2)).toEqual({ absolute_path: '/tmp/project/note.txt' })
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls')
})

test('the answers in the conversation choose the step', async () => {
  const calls = { role: 'assistant', content: null, tool_calls: [] }
  const result = { role: 'tool', content: 'hello', tool_call_id: 'call_0001_1' }
  const chunks = chunksOf(await (await send([prompt('tool'), calls, result])).text())
  expect(textOf(chunks)).toBe('It ran.')
  expect(model.requests[0]?.position).toEqual({ scenario: 'tool', step: 1 })
})

test('an error has the body of this API', async () => {
  const response = await send([prompt('error')])
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    error: {
      type: 'invalid_request_error',
      code: 'invalid_request_error',
      message: 'The request is not valid',
      param: null,
    },
  })
})

test('a call without tools follows no script', async () => {
  const body = JSON.stringify({ model: 'fake', messages: [prompt('error')] })
  const response = await fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body })
  expect(await response.json()).toMatchObject({
    choices: [{ message: { content: 'Nothing more.' }, finish_reason: 'stop' }],
  })
  expect(model.requests[0]?.position).toBeUndefined()
})

const tools = [
  {
    type: 'function',
    function: {
      name: 'run_shell_command',
      parameters: {
        properties: { command: { type: 'string' }, is_background: { type: 'boolean' } },
        required: ['command', 'is_background'],
      },
    },
  },
  {
    type: 'function',
    function: { name: 'read_file', parameters: { properties: { absolute_path: {} } } },
  },
]

function prompt(scenario: string): object {
  return { role: 'user', content: `Do scenario:${scenario} please` }
}

function send(messages: object[]): Promise<Response> {
  const system = { role: 'system', content: '<env>\nWorking directory: /tmp/project\n</env>' }
  const body = { model: 'fake', stream: true, messages: [system, ...messages], tools }
  return fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
}

function chunksOf(stream: string): z.infer<typeof chunk>[] {
  const parts = stream.split('\n\n')
  expect(parts.splice(-2)).toEqual(['data: [DONE]', ''])
  return parts.map((part) => chunk.parse(JSON.parse(part.replace(/^data: /, ''))))
}

function textOf(chunks: z.infer<typeof chunk>[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
}

function inputOf(calls: z.infer<typeof toolCallDelta>[], index: number): unknown {
  const parts = calls.filter((call) => call.index === index)
  return JSON.parse(parts.map((call) => call.function.arguments).join(''))
}
