import type { Tool } from './request.ts'
import type { Block, StopReason } from './scripts.ts'
import { toolCallOf } from './tools.ts'

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
  /** The agent’s working directory; tools that need absolute paths get them. */
  cwd?: string | undefined
  /** Stops after the last delta: the block and the message never end. */
  unfinished: boolean
}

/** A server-sent event of an API. */
export type Frame = NamedFrame | DataFrame

/** `type` is also its event name. */
export interface NamedFrame {
  type: string
  [field: string]: unknown
}

/** An event without a name. */
export interface DataFrame {
  data: string
  /** Whether it carries a piece of a text. */
  isDelta?: boolean
}

/** The message as a stream. */
export function* frames(message: Message): Generator<NamedFrame> {
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
    delta: { stop_reason: stopReasonOf(message), stop_sequence: null },
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
    stop_reason: stopReasonOf(message),
    usage: { ...usage, output_tokens: outputTokens(message) },
  }
}

function head({ number, model, step }: Message) {
  return {
    id: `msg_${paddedNumber(number)}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputTokens(step), output_tokens: 1 },
  }
}

/** The tokens of the input of a step. */
export function inputTokens(step: number) {
  return {
    input_tokens: 12,
    cache_creation_input_tokens: step === 0 ? 1800 : 60,
    cache_read_input_tokens: step === 0 ? 0 : 1740 + 60 * step,
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
      return halves(JSON.stringify(toolCallOf(message, block).input)).map((partial_json) => ({
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
        id: `toolu_${paddedNumber(message.number)}_${index}`,
        ...toolCallOf(message, block),
      }
  }
}

/** Why the message stopped. */
export function stopReasonOf({ blocks, stopReason }: Message): StopReason {
  return stopReason ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn')
}

/** Four characters per token, as in most models. */
export function outputTokens(message: Message): number {
  const written = message.blocks.map((block) =>
    block.type === 'tool_use' ? JSON.stringify(block.input) : block.deltas.join(''),
  )
  return 2 + Math.ceil(written.join('').length / 4)
}

/** The arguments of a call come in two deltas. */
export function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

/** A number as it stands in ids. */
export function paddedNumber(number: number): string {
  return String(number).padStart(4, '0')
}
