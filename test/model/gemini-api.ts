import { z } from 'zod'

import type { Dialect } from './dialect.ts'
import { type DataFrame, inputTokens, type Message, outputTokens, stopReasonOf } from './message.ts'
import { parseJson, positionIn, toolSchema } from './request.ts'
import type { ApiError, Block } from './scripts.ts'
import { cwdIn, toolCallOf } from './tools.ts'

const part = z.object({ text: z.string().optional(), thought: z.boolean().optional() })
const content = z.object({ role: z.string().optional(), parts: z.array(part).optional() })

type Content = z.infer<typeof content>

const geminiRequest = z.object({
  contents: z.array(content),
  systemInstruction: content.optional(),
  tools: z
    .array(
      z.object({
        functionDeclarations: z
          .array(
            z.object({
              name: z.string(),
              parametersJsonSchema: toolSchema.optional(),
              parameters: toolSchema.optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
})

const modelCall = /\/models\/([^/:]+):(stream)?generateContent/i

/** The API of Gemini. The path names the model, and whether the answer is streamed. */
export const geminiApi: Dialect = {
  answers: (path) => modelCall.test(path),
  read(body, path) {
    const request = geminiRequest.safeParse(parseJson(body)).data
    if (request === undefined) return undefined
    const [, model = '', stream] = modelCall.exec(path) ?? []
    const { contents, systemInstruction, tools: groups = [] } = request
    const tools = groups
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        input_schema: parametersJsonSchema ?? parameters,
      }))
    const prompt = [...(systemInstruction ? [systemInstruction] : []), ...contents]
    return {
      ...{ model, isStreamed: stream !== undefined, tools },
      cwd: workspaceIn(prompt.map(textOf).join('\n')),
      // A call without tools chooses a model, or writes a summary.
      position: tools.length === 0 ? undefined : positionIn(contents.map(saidIn)),
    }
  },
  frames,
  whole: (message) => answer(message, message.blocks.map(wholePart(message)), finish(message)),
  error: errorBody,
  failure: () => undefined,
}

/** Gemini CLI lists its directories in the first message. */
const workspaceIn = (text: string): string | undefined =>
  /Workspace Directories:\**\s*\n\s*-\s*(\/\S+)/.exec(text)?.[1] ?? cwdIn(text)

function errorBody({ error }: ApiError, status: number) {
  return { error: { code: status, message: error.message, status: error.type.toUpperCase() } }
}

function saidIn(entry: Content) {
  const isModel = entry.role === 'model'
  return { isModel, text: isModel ? '' : textOf(entry) }
}

function textOf({ parts = [] }: Content): string {
  return parts.map(({ text = '' }) => text).join('\n')
}

function* frames(message: Message): Generator<DataFrame> {
  for (const block of message.blocks)
    for (const each of partsOf(message, block))
      yield { data: json(answer(message, [each])), isDelta: true }
  if (!message.unfinished) yield { data: json(answer(message, [{ text: '' }], finish(message))) }
}

/** A raw line separator would break the agent’s reader. */
const json = (value: object): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

function answer({ model, number }: Message, parts: object[], end?: ReturnType<typeof finish>) {
  const { finishReason, usageMetadata } = end ?? {}
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, finishReason }],
    usageMetadata,
    modelVersion: model,
    responseId: `response_${number}`,
  }
}

function partsOf(message: Message, block: Block): object[] {
  if (block.type === 'text') return block.deltas.map((text) => ({ text }))
  if (block.type === 'thinking') return block.deltas.map((text) => ({ text, thought: true }))
  return [callPart(message, block)]
}

const wholePart =
  (message: Message) =>
  (block: Block): object => {
    if (block.type === 'tool_use') return callPart(message, block)
    const text = block.deltas.join('')
    return block.type === 'text' ? { text } : { text, thought: true }
  }

function callPart(message: Message, block: Extract<Block, { type: 'tool_use' }>) {
  const { name, input } = toolCallOf(message, block)
  return { functionCall: { name, args: input } }
}

/** The prompt tokens include those from the cache. */
function finish(message: Message) {
  const input = inputTokens(message.step)
  const cached = input.cache_read_input_tokens
  const prompt = input.input_tokens + input.cache_creation_input_tokens + cached
  const output = outputTokens(message)
  return {
    finishReason: stopReasonOf(message) === 'max_tokens' ? 'MAX_TOKENS' : 'STOP',
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: prompt + output,
    },
  }
}
