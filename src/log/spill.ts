import type { AgentEvent, EventOf } from '../events/event.ts'
import type { Block } from '../events/message.ts'
import { createTaker, sizeOf, type Taken, type Taker } from './taker.ts'

/** An event that is light enough to be sent around, and what was taken out of it. */
export interface Spilled {
  event: AgentEvent
  /** To be put before the event is appended. */
  blobs: readonly Taken[]
}

/** How much output an event may hold before its large parts become blobs. */
export const spillBytes = 256 * 1024

/**
 * Takes large tool output and images out of an event. A text leaves its beginning and its end, an
 * image a block of type `blob`. What a model or a person wrote stays, and so do a tool’s arguments.
 */
export const spill = (event: AgentEvent, limit = spillBytes): Spilled => {
  const output = outputOf(event)
  if (output === undefined || sizeOf(output) <= limit) return { event, blobs: [] }
  const taker = createTaker(limit)
  return { event: lighten(event, taker), blobs: taker.taken }
}

/** What of an event may be taken out. */
const outputOf = (event: AgentEvent): unknown => {
  switch (event.type) {
    case 'tool_execution_update':
      return event.outputDelta
    case 'tool_execution_end':
      return event.result
    case 'tool_result':
      return [event.message.content, event.message.details]
    case 'message_end':
      return event.message.content.filter((block) => !isWritten(block))
    case 'session_update':
      return [event.shell?.outputDelta, event.hook?.output]
    case 'raw':
      return event.line
    default:
      return undefined
  }
}

const lighten = (event: AgentEvent, taker: Taker): AgentEvent => {
  switch (event.type) {
    case 'tool_execution_update':
      return { ...event, outputDelta: taker.text(event.outputDelta) }
    case 'tool_execution_end':
      return { ...event, result: taker.value(event.result) }
    case 'tool_result':
      return lightenResult(event, taker)
    case 'message_end':
      return lightenMessage(event, taker)
    case 'session_update':
      return lightenUpdate(event, taker)
    case 'raw':
      return { ...event, line: taker.value(event.line) }
    default:
      return event
  }
}

const lightenResult = (event: EventOf<'tool_result'>, taker: Taker): AgentEvent => {
  const { details, ...message } = event.message
  const content = message.content.flatMap(taker.block)
  const lighter = details === undefined ? {} : { details: taker.value(details) }
  return { ...event, message: { ...message, content, ...lighter } }
}

const lightenMessage = (event: EventOf<'message_end'>, taker: Taker): AgentEvent => {
  const content = event.message.content.flatMap((block) =>
    isWritten(block) ? [block] : taker.block(block),
  )
  return { ...event, message: { ...event.message, content } }
}

const lightenUpdate = (event: EventOf<'session_update'>, taker: Taker): AgentEvent => {
  const { shell, hook, ...rest } = event
  return {
    ...rest,
    ...(shell && {
      shell: {
        ...shell,
        ...(shell.outputDelta !== undefined && { outputDelta: taker.text(shell.outputDelta) }),
      },
    }),
    ...(hook && {
      hook: { ...hook, ...(hook.output !== undefined && { output: taker.text(hook.output) }) },
    }),
  }
}

/** By a model or a person, for others to read. */
const isWritten = (block: Block): boolean =>
  block.type === 'text' || block.type === 'thinking' || block.type === 'toolCall'
