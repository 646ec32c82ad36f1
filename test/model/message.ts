import type { Tool } from './request.ts'
import type { Block, StopReason } from './scripts.ts'

/** One answer of the model, before it becomes frames or a JSON body. */
export interface Message {
  /** Determines the ids of the message and its tool calls: unique in a server, the same in every run. */
  number: number
  model: string
  step: number
  blocks: Block[]
  stopReason?: StopReason
  /** The agent's tools: `bash` in a script becomes the `Bash` of an agent. */
  tools: Tool[]
  /** Stops after the last delta: the block and the message never end. */
  unfinished: boolean
}

/** A server-sent event of an API; `type` is also its event name. */
export interface Frame {
  type: string
  [field: string]: unknown
}

/** The message as a stream. */
export function* frames(message: Message): Generator<Frame> {
  yield { type: 'message_start', message: { ...head(message), content: [] } }
  yield { type: 'ping' }
  for (const [index, block] of message.blocks.entries()) {
    yield { type: 'content_block_start', index, content_block: opening(message, block, index) }
    for (const delta of deltas(message, block)) yield { type: 'content_block_delta', index, delta }
    if (message.unfinished && index === message.blocks.length - 1) return
    yield { type: 'content_block_stop', index }
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: stopReason(message), stop_sequence: null },
    usage: { output_tokens: outputTokens(message) },
  }
  yield { type: 'message_stop' }
}

/** The message as one JSON body, for a request without `stream`. */
export function whole(message: Message): Record<string, unknown> {
  const { usage, ...rest } = head(message)
  return {
    ...rest,
    content: message.blocks.map((block, index) => complete(message, block, index)),
    stop_reason: stopReason(message),
    usage: { ...usage, output_tokens: outputTokens(message) },
  }
}

function head({ number, model, step }: Message) {
  return {
    id: `msg_${id(number)}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 12,
      output_tokens: 1,
      cache_creation_input_tokens: step === 0 ? 1800 : 60,
      cache_read_input_tokens: step === 0 ? 0 : 1740 + 60 * step,
    },
  }
}

function opening(message: Message, block: Block, index: number): Record<string, unknown> {
  const full = complete(message, block, index)
  if (block.type === 'text') return { ...full, text: '' }
  if (block.type === 'thinking') return { ...full, thinking: '', signature: '' }
  return { ...full, input: {} }
}

function deltas(message: Message, block: Block): Record<string, unknown>[] {
  switch (block.type) {
    case 'text':
      return block.deltas.map((text) => ({ type: 'text_delta', text }))
    case 'thinking':
      return [
        ...block.deltas.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ]
    case 'tool_use':
      return halves(JSON.stringify(inputFor(message.tools, block))).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }))
  }
}

const signature = 'c2lnbmF0dXJl'

function complete(message: Message, block: Block, index: number): Record<string, unknown> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.deltas.join('') }
    case 'thinking':
      return { type: 'thinking', thinking: block.deltas.join(''), signature }
    case 'tool_use':
      return {
        type: 'tool_use',
        id: `toolu_${id(message.number)}_${index}`,
        name: toolNamed(message.tools, block.name)?.name ?? block.name,
        input: inputFor(message.tools, block),
      }
  }
}

function inputFor(tools: Tool[], block: Block & { type: 'tool_use' }): Record<string, unknown> {
  const { path, ...rest } = block.input
  const takesFilePath = toolNamed(tools, block.name)?.input_schema?.properties?.file_path
  return path !== undefined && takesFilePath ? { ...rest, file_path: path } : block.input
}

function toolNamed(tools: Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name.toLowerCase() === name)
}

function stopReason({ blocks, stopReason }: Message): StopReason {
  return stopReason ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn')
}

/** Four characters per token, as in most models. */
function outputTokens(message: Message): number {
  const written = message.blocks.map((block) =>
    block.type === 'tool_use' ? JSON.stringify(block.input) : block.deltas.join(''),
  )
  return 2 + Math.ceil(written.join('').length / 4)
}

function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

function id(number: number): string {
  return String(number).padStart(4, '0')
}
