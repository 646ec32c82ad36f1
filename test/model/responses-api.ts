import { z } from 'zod'

import type { Dialect } from './dialect.ts'
import type { Frame, Message } from './message.ts'
import { type Call, parseJson, positionIn, type Said, type Tool } from './request.ts'
import type { Block } from './scripts.ts'

const item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish(),
})

const responsesRequest = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  input: z.union([z.string(), z.array(item)]),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        parameters: z
          .looseObject({ properties: z.record(z.string(), z.unknown()).optional() })
          .optional(),
      }),
    )
    .optional(),
})

type Item = z.infer<typeof item>

/** OpenAI’s Responses API. */
export const responsesApi: Dialect = {
  answers: (path) => path.endsWith('/responses'),
  read,
  frames,
  whole: (message) => response(message, 'completed'),
  error: ({ error }) => ({ error: { ...error, code: null, param: null } }),
  failure: ({ error }) => ({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error', message: error.message } },
  }),
}

function read(body: string): Call | undefined {
  const request = responsesRequest.safeParse(parseJson(body)).data
  if (request === undefined) return undefined
  const { model, stream = false, input, tools = [] } = request
  const said = typeof input === 'string' ? [{ isModel: false, text: input }] : saidIn(input)
  return {
    model,
    isStreamed: stream,
    tools: tools.flatMap(toolOf),
    position: positionIn(said),
  }
}

function toolOf(tool: NonNullable<z.infer<typeof responsesRequest>['tools']>[number]): Tool[] {
  const { type, name, parameters } = tool
  if (name === undefined) return []
  return [
    {
      name,
      ...(parameters && { input_schema: { properties: parameters.properties } }),
      isFreeform: type === 'custom',
    },
  ]
}

/** One answer is many items: the reasoning, the text and each call. */
function saidIn(items: readonly Item[]): Said[] {
  const said = items.map((each) => ({ isModel: isOfModel(each), text: userText(each) }))
  return said.filter(({ isModel }, index) => !isModel || !said[index - 1]?.isModel)
}

function isOfModel({ type, role }: Item): boolean {
  return type === 'message' ? role === 'assistant' : !type.endsWith('_output')
}

function userText({ type, role, content }: Item): string {
  if (type !== 'message' || role !== 'user' || !content) return ''
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')
}

/** The answer as a stream. */
function* frames(message: Message): Generator<Frame> {
  yield { type: 'response.created', response: { ...response(message, 'in_progress'), output: [] } }
  for (const [index, block] of message.blocks.entries()) {
    const place = { output_index: index, item_id: itemId(message, block, index) }
    const done = outputItem(message, block, index)
    yield { type: 'response.output_item.added', ...place, item: { ...done, ...opened(block) } }
    yield* deltas(block, place)
    if (message.unfinished && index === message.blocks.length - 1) return
    yield { type: 'response.output_item.done', ...place, item: done }
  }
  yield { type: 'response.completed', response: response(message, 'completed') }
}

function* deltas(block: Block, place: object): Generator<Frame> {
  if (block.type === 'tool_use') return
  if (block.type === 'text') {
    for (const delta of block.deltas)
      yield { type: 'response.output_text.delta', ...place, content_index: 0, delta }
    return
  }
  const part = { ...place, summary_index: 0 }
  yield {
    type: 'response.reasoning_summary_part.added',
    ...part,
    part: { type: 'summary_text', text: '' },
  }
  for (const delta of block.deltas)
    yield { type: 'response.reasoning_summary_text.delta', ...part, delta }
}

function opened({ type }: Block): object {
  if (type === 'text') return { status: 'in_progress', content: [] }
  return type === 'thinking' ? { summary: [] } : { status: 'in_progress' }
}

function outputItem(message: Message, block: Block, index: number) {
  const id = itemId(message, block, index)
  switch (block.type) {
    case 'text': {
      const text = block.deltas.join('')
      const content = [{ type: 'output_text', text, annotations: [] }]
      return { type: 'message', id, role: 'assistant', status: 'completed', content }
    }
    case 'thinking': {
      const summary = [{ type: 'summary_text', text: block.deltas.join('') }]
      return { type: 'reasoning', id, summary, encrypted_content: 'c2VjcmV0' }
    }
    case 'tool_use':
      return callItem(message, block, index)
  }
}

/** `bash` in a script becomes the tool of the agent that runs commands. */
function callItem({ number, tools }: Message, block: Block & { type: 'tool_use' }, index: number) {
  const shell = tools.find(({ name }) => name === 'exec_command' || name === 'shell_command')
  const isCommand = block.name === 'bash' && shell !== undefined
  const name = isCommand ? shell.name : block.name
  const { command, ...rest } = block.input
  const field = shell?.name === 'exec_command' ? 'cmd' : 'command'
  const input = isCommand ? { ...rest, [field]: command } : block.input
  const call = { id: `fc_${number}_${index}`, call_id: `call_${number}_${index}`, name }
  const isFreeform = tools.some((tool) => tool.name === name && tool.isFreeform)
  if (isFreeform) return { type: 'custom_tool_call', ...call, input: String(input.input ?? '') }
  const [, namespace, own] = /^(\w+)\.(\w+)$/.exec(name) ?? []
  // A tool of a namespace: the name of the script has both.
  const named = own === undefined ? call : { ...call, name: own, namespace }
  return { type: 'function_call', ...named, arguments: JSON.stringify(input) }
}

function itemId({ number }: Message, block: Block, index: number): string {
  const prefix = { text: 'msg', thinking: 'rs', tool_use: 'fc' }[block.type]
  return `${prefix}_${number}_${index}`
}

/** Most of the input of a later call is cached. Four characters are a token. */
function response(message: Message, status: string): object {
  const { number, model, step, blocks } = message
  const written = (kind: 'thinking' | 'other') =>
    Math.ceil(blocks.map((block) => textOf(block, kind)).join('').length / 4)
  const reasoning = written('thinking')
  const usage = {
    input_tokens: 1800 + 60 * step,
    input_tokens_details: { cached_tokens: step === 0 ? 0 : 1740 + 60 * step },
    output_tokens: 2 + written('other') + reasoning,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: 1802 + 60 * step + written('other') + reasoning,
  }
  const output = blocks.map((block, index) => outputItem(message, block, index))
  return { id: `resp_${number}`, object: 'response', model, status, output, usage }
}

function textOf(block: Block, kind: 'thinking' | 'other'): string {
  if ((block.type === 'thinking') !== (kind === 'thinking')) return ''
  return block.type === 'tool_use' ? JSON.stringify(block.input) : block.deltas.join('')
}
