import { z } from 'zod'

import type { Dialect } from './dialect.ts'
import {
  type DataFrame,
  halves,
  inputTokens,
  type Message,
  outputTokens,
  paddedNumber,
  stopReasonOf,
} from './message.ts'
import { parseJson, positionIn, toolSchema } from './request.ts'
import type { Block, StopReason } from './scripts.ts'
import { cwdIn, toolCallOf } from './tools.ts'

const part = z.object({ text: z.string().optional() })

const chatMessage = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
})

type ChatMessage = z.infer<typeof chatMessage>

const chatRequest = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(chatMessage),
  tools: z
    .array(
      z.object({ function: z.object({ name: z.string(), parameters: toolSchema.optional() }) }),
    )
    .optional(),
})

/** The chat completions API of OpenAI, which many providers and agents speak. */
export const chatApi: Dialect = {
  answers: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const request = chatRequest.safeParse(parseJson(body)).data
    if (request === undefined) return undefined
    const tools = (request.tools ?? []).map(({ function: { name, parameters } }) => ({
      name,
      input_schema: parameters,
    }))
    return {
      ...{ model: request.model, isStreamed: request.stream ?? false, tools },
      cwd: cwdIn(request.messages.map(textOf).join('\n')),
      // A call without tools writes a title or a summary.
      position: tools.length === 0 ? undefined : positionIn(request.messages.map(saidIn)),
    }
  },
  frames,
  whole(message) {
    return {
      ...head(message),
      object: 'chat.completion',
      choices: [{ index: 0, message: complete(message), finish_reason: finishReason(message) }],
      usage: usageOf(message),
    }
  },
  error: errorBody,
  failure: (error) => ({ data: JSON.stringify(errorBody(error)) }),
}

function errorBody({ error }: { error: { type: string; message: string } }) {
  return { error: { ...error, code: error.type, param: null } }
}

function saidIn(message: ChatMessage) {
  const { role } = message
  return { isModel: role === 'assistant', text: role === 'user' ? textOf(message) : '' }
}

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string'
    ? content
    : (content ?? []).map(({ text = '' }) => text).join('\n')
}

function* frames(message: Message): Generator<DataFrame> {
  yield chunk(message, { role: 'assistant', content: '' })
  for (const delta of deltasOf(message)) yield { ...chunk(message, delta), isDelta: true }
  if (message.unfinished) return
  yield chunk(message, {}, finishReason(message))
  yield { data: JSON.stringify({ ...chunkHead(message), choices: [], usage: usageOf(message) }) }
  yield { data: '[DONE]' }
}

function chunk(message: Message, delta: object, finish_reason: string | null = null): DataFrame {
  const choices = [{ index: 0, delta, finish_reason }]
  return { data: JSON.stringify({ ...chunkHead(message), choices }) }
}

function head(message: Message) {
  return { id: `chatcmpl_${paddedNumber(message.number)}`, created: 0, model: message.model }
}

function chunkHead(message: Message) {
  return { ...head(message), object: 'chat.completion.chunk' }
}

function deltasOf(message: Message): object[] {
  return message.blocks.flatMap((block, index) => deltasOfBlock(message, block, index))
}

function deltasOfBlock(message: Message, block: Block, index: number): object[] {
  switch (block.type) {
    case 'text':
      return block.deltas.map((content) => ({ content }))
    case 'thinking':
      return block.deltas.map((reasoning_content) => ({ reasoning_content }))
    case 'tool_use': {
      const { id, type, function: call } = toolCall(message, block, index)
      const at = toolIndex(message, block)
      const opening = { index: at, id, type, function: { name: call.name, arguments: '' } }
      const parts = halves(call.arguments).map((each) => ({
        index: at,
        function: { arguments: each },
      }))
      return [opening, ...parts].map((each) => ({ tool_calls: [each] }))
    }
  }
}

/** Tool calls are counted among themselves. */
function toolIndex({ blocks }: Message, block: Block): number {
  return blocks.filter(({ type }) => type === 'tool_use').indexOf(block)
}

function toolCall(message: Message, block: Extract<Block, { type: 'tool_use' }>, index: number) {
  const { name, input } = toolCallOf(message, block)
  return {
    id: `call_${paddedNumber(message.number)}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }
}

function complete(message: Message) {
  const { blocks } = message
  const textOfKind = (kind: 'text' | 'thinking') =>
    blocks.flatMap((block) => (block.type === kind ? block.deltas : [])).join('')
  const calls = blocks.flatMap((block, index) =>
    block.type === 'tool_use' ? [toolCall(message, block, index)] : [],
  )
  return {
    role: 'assistant',
    content: textOfKind('text'),
    reasoning_content: textOfKind('thinking'),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
}

function finishReason(message: Message): string {
  return finishReasons[stopReasonOf(message)]
}

/** The prompt tokens include those from the cache. */
function usageOf(message: Message) {
  const input = inputTokens(message.step)
  const cached = input.cache_read_input_tokens
  const prompt = input.input_tokens + input.cache_creation_input_tokens + cached
  const output = outputTokens(message)
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}
