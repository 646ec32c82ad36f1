import type { AgentEvent, Block, EventOf, EventType } from '../../events/types.ts'
import type { ExtractedBlob } from './blob-collector.ts'
import { type BlobExtractor, createBlobExtractor } from './blob-extractor.ts'

/** An event whose payloads are small, and the blobs that were extracted from it. */
export interface ExtractedEvent {
  event: AgentEvent
  /** Must be stored before the event is appended. */
  blobs: readonly ExtractedBlob[]
}

/** The largest payload that stays in an event. A larger one becomes a blob. */
export const blobThresholdBytes = 256 * 1024

/**
 * Extracts large payloads from an event: tool output and arguments, images, unrecognised lines. The
 * field keeps a preview, and a `blob` beside it refers to the whole payload. Text of a model or a
 * person stays in the event. So do the arguments of an approval request: the person who decides must
 * see all of them.
 */
export const extractBlobs = (event: AgentEvent, limit = blobThresholdBytes): ExtractedEvent => {
  if (isSmall(event)) return { event, blobs: [] }
  const extractor = createBlobExtractor(limit)
  const extracted = tryExtract(event, extractor)
  if (!extracted || extractor.blobs.length === 0) return { event, blobs: [] }
  return { event: extracted, blobs: extractor.blobs }
}

/** Undefined when the event is nested too deeply for JSON. The log then rejects it with an error. */
const tryExtract = (event: AgentEvent, extractor: BlobExtractor): AgentEvent | undefined => {
  try {
    return extract(event, extractor)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    return undefined
  }
}

type Table = {
  [Type in EventType]?: (event: EventOf<Type>, extractor: BlobExtractor) => EventOf<Type>
}
type Typed<Type extends EventType> = { [Key in EventType]: EventOf<Key> }[Type] & { type: Type }

/** The events whose payloads can be of any size, and how to extract them. */
const extractors: Table = {
  tool_call(event, extractor) {
    const { payload: input, ...blob } = extractor.value(event.input)
    return { ...event, input, ...blob }
  },
  tool_execution_start(event, extractor) {
    const { payload: args, ...blob } = extractor.value(event.args)
    return { ...event, args, ...blob }
  },
  tool_execution_update(event, extractor) {
    const { payload: outputDelta, ...blob } = extractor.text(event.outputDelta)
    return { ...event, outputDelta, ...blob }
  },
  tool_execution_end(event, extractor) {
    const { payload: result, ...blob } = extractor.result(event.result)
    return { ...event, result, ...blob }
  },
  tool_result(event, extractor) {
    const { message } = event
    const { payload: content, blob: contentBlob } = extractor.content(message.content)
    const { payload: details, blob: detailsBlob } = extractor.result(message.details)
    const { payload: output, blob: outputBlob } = extractor.value(message.output)
    return {
      ...event,
      message: {
        ...message,
        content,
        ...(contentBlob && { contentBlob }),
        ...(details !== undefined && { details }),
        ...(detailsBlob && { detailsBlob }),
        ...(typeof output === 'string' && { output }),
        ...(outputBlob && { outputBlob }),
      },
    }
  },
  message_update(event, extractor) {
    const { assistantMessageEvent: update } = event
    if (update.type !== 'tool_use_end') return event
    const { payload: input, ...blob } = extractor.value(update.input)
    return { ...event, assistantMessageEvent: { ...update, input, ...blob } }
  },
  message_end(event, extractor) {
    const { message } = event
    const attachments = extractor.blocks(message.content.filter(isAttachment)).values()
    const content = message.content.map((block) => {
      if (isAttachment(block)) return attachments.next().value ?? block
      return isCall(block) ? extractCall(block, extractor) : block
    })
    return { ...event, message: { ...message, content } }
  },
  session_update(event, extractor) {
    const { shell, hook } = event
    return {
      ...event,
      ...(shell?.outputDelta !== undefined && { shell: extractShell(shell, extractor) }),
      ...(hook?.output !== undefined && { hook: extractHook(hook, extractor) }),
    }
  },
  raw(event, extractor) {
    const { payload: line, ...blob } = extractor.value(event.line)
    return { ...event, line, ...blob }
  },
}

const extract = <Type extends EventType>(
  event: Typed<Type>,
  extractor: BlobExtractor,
): AgentEvent => {
  const extractFrom: Table[Type] = extractors[event.type]
  return extractFrom?.(event, extractor) ?? event
}

/** Whether an event is a delta of a model’s text. Most events are, so they must cost nothing here. */
const isSmall = (event: AgentEvent): boolean =>
  event.type === 'message_update' && event.assistantMessageEvent.type !== 'tool_use_end'

type ToolCall = Extract<Block, { type: 'toolCall' }>
type Shell = NonNullable<EventOf<'session_update'>['shell']>
type Hook = NonNullable<EventOf<'session_update'>['hook']>

const extractCall = (call: ToolCall, extractor: BlobExtractor): Block => {
  const { payload, ...blob } = extractor.value(call.arguments)
  return { ...call, arguments: payload, ...blob }
}

const extractShell = (shell: Shell, extractor: BlobExtractor): Shell => {
  const { payload: outputDelta, ...blob } = extractor.text(shell.outputDelta ?? '')
  return { ...shell, outputDelta, ...blob }
}

const extractHook = (hook: Hook, extractor: BlobExtractor): Hook => {
  const { payload: output, ...blob } = extractor.text(hook.output ?? '')
  return { ...hook, output, ...blob }
}

const isCall = (block: Block): block is ToolCall => block.type === 'toolCall'

/** Whether a block is neither text of a model or a person nor a tool call. */
const isAttachment = ({ type }: Block): boolean =>
  type !== 'text' && type !== 'thinking' && type !== 'toolCall'
