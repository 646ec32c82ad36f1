import type { AgentEvent, Block, EventOf, EventType } from '../../events/types.ts'
import { type BlobExtractor, createBlobExtractor, type ExtractedBlob } from './blob-extractor.ts'

/** An event that is light enough to be sent around, and what was taken out of it. */
export interface Extracted {
  event: AgentEvent
  /** To be put before the event is appended. */
  blobs: readonly ExtractedBlob[]
}

/** How large a payload of an event may be: what is over this becomes a blob. */
export const blobThresholdBytes = 256 * 1024

/**
 * Takes large payloads out of an event: tool output and arguments, images, lines that nobody knows.
 * The field keeps its beginning, and a `blob` beside it names the whole. What a model or a person
 * says stays, and so do the arguments in a question: whoever decides must see what it is about.
 */
export const extractBlobs = (event: AgentEvent, limit = blobThresholdBytes): Extracted => {
  if (isSmall(event)) return { event, blobs: [] }
  const taker = createBlobExtractor(limit)
  const light = lightened(event, taker)
  if (!light || taker.taken.length === 0) return { event, blobs: [] }
  return { event: light, blobs: taker.taken }
}

/** Undefined for what is nested too deep to be written as JSON: the log will refuse it, and say so. */
const lightened = (event: AgentEvent, taker: BlobExtractor): AgentEvent | undefined => {
  try {
    return lighten(event, taker)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    return undefined
  }
}

type Table = { [Type in EventType]?: (event: EventOf<Type>, taker: BlobExtractor) => EventOf<Type> }
type Typed<Type extends EventType> = { [Key in EventType]: EventOf<Key> }[Type] & { type: Type }

/** Which events have payloads without a natural limit, and where. */
const table: Table = {
  tool_call(event, taker) {
    const { left: input, ...whole } = taker.value(event.input)
    return { ...event, input, ...whole }
  },
  tool_execution_start(event, taker) {
    const { left: args, ...whole } = taker.value(event.args)
    return { ...event, args, ...whole }
  },
  tool_execution_update(event, taker) {
    const { left: outputDelta, ...whole } = taker.text(event.outputDelta)
    return { ...event, outputDelta, ...whole }
  },
  tool_execution_end(event, taker) {
    const { left: result, ...whole } = taker.result(event.result)
    return { ...event, result, ...whole }
  },
  tool_result(event, taker) {
    const { message } = event
    const { left: content, blob: contentBlob } = taker.content(message.content)
    const { left: details, blob: detailsBlob } = taker.result(message.details)
    return {
      ...event,
      message: {
        ...message,
        content,
        ...(contentBlob && { contentBlob }),
        ...(details !== undefined && { details }),
        ...(detailsBlob && { detailsBlob }),
      },
    }
  },
  message_update(event, taker) {
    const { assistantMessageEvent: update } = event
    if (update.type !== 'tool_use_end') return event
    const { left: input, ...whole } = taker.value(update.input)
    return { ...event, assistantMessageEvent: { ...update, input, ...whole } }
  },
  message_end(event, taker) {
    const { message } = event
    const shown = taker.blocks(message.content.filter(isShown)).values()
    const content = message.content.map((block) => {
      if (isShown(block)) return shown.next().value ?? block
      return isCall(block) ? lightCall(block, taker) : block
    })
    return { ...event, message: { ...message, content } }
  },
  session_update(event, taker) {
    const { shell, hook } = event
    return {
      ...event,
      ...(shell?.outputDelta !== undefined && { shell: lightShell(shell, taker) }),
      ...(hook?.output !== undefined && { hook: lightHook(hook, taker) }),
    }
  },
  raw(event, taker) {
    const { left: line, ...whole } = taker.value(event.line)
    return { ...event, line, ...whole }
  },
}

const lighten = <Type extends EventType>(event: Typed<Type>, taker: BlobExtractor): AgentEvent => {
  const light: Table[Type] = table[event.type]
  return light?.(event, taker) ?? event
}

/** Most events are deltas of a model’s words: they should cost nothing here. */
const isSmall = (event: AgentEvent): boolean =>
  event.type === 'message_update' && event.assistantMessageEvent.type !== 'tool_use_end'

type Call = Extract<Block, { type: 'toolCall' }>
type Shell = NonNullable<EventOf<'session_update'>['shell']>
type Hook = NonNullable<EventOf<'session_update'>['hook']>

const lightCall = (call: Call, taker: BlobExtractor): Block => {
  const { left, ...whole } = taker.value(call.arguments)
  return { ...call, arguments: left, ...whole }
}

const lightShell = (shell: Shell, taker: BlobExtractor): Shell => {
  const { left: outputDelta, ...whole } = taker.text(shell.outputDelta ?? '')
  return { ...shell, outputDelta, ...whole }
}

const lightHook = (hook: Hook, taker: BlobExtractor): Hook => {
  const { left: output, ...whole } = taker.text(hook.output ?? '')
  return { ...hook, output, ...whole }
}

const isCall = (block: Block): block is Call => block.type === 'toolCall'

/** Neither said by a model or a person, nor a call. */
const isShown = ({ type }: Block): boolean =>
  type !== 'text' && type !== 'thinking' && type !== 'toolCall'
