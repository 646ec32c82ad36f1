import { afterEach, expect, test } from 'vitest'
import { type Model, startModel } from './server.ts'

let model: Model
afterEach(() => model.close())

const ask = async (path: string, prompt: string, tools: object[] = [tool]) => {
  const contents = [{ role: 'user', parts: [{ text: prompt }] }]
  const body = JSON.stringify({ contents, tools: [{ functionDeclarations: tools }] })
  const response = await fetch(`${model.url}/v1beta/models/${path}`, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

const tool = {
  name: 'run_shell_command',
  parametersJsonSchema: { properties: { command: {} }, required: ['command'] },
}

test('a streamed answer is data lines, the last one with the usage', async () => {
  model = await startModel()
  const { text } = await ask('m:streamGenerateContent?alt=sse', 'scenario:tool go')
  const chunks = text.split('\n\n').filter(Boolean)
  expect(chunks.every((each) => each.startsWith('data: {'))).toBe(true)
  expect(text).toContain(
    '"functionCall":{"name":"run_shell_command","args":{"command":"echo hello"}}',
  )
  expect(chunks.at(-1)).toMatch(/"finishReason":"STOP".*"promptTokenCount":1812/)
})

test('a line separator in a text is escaped', async () => {
  model = await startModel()
  const { text } = await ask('m:streamGenerateContent?alt=sse', 'scenario:unicode go')
  expect(text).not.toContain('\u2028')
  expect(text).toContain('line\\u2028separator')
})

test('a call without tools follows no script', async () => {
  model = await startModel()
  const { text } = await ask('m:generateContent', 'scenario:error go', [])
  expect(text).toContain('Nothing more.')
})

test('an error has the status beside its message', async () => {
  model = await startModel()
  const { status, text } = await ask('m:streamGenerateContent', 'scenario:error go')
  expect(status).toBe(400)
  expect(JSON.parse(text)).toMatchObject({
    error: { code: 400, message: 'The request is not valid' },
  })
})
