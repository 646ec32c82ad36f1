import type { AgentEvent, EventOf } from '../../events/types.ts'

/** How long deltas may wait to be joined: one frame of a screen. */
const frameMs = 16

/**
 * Joins deltas that arrive within one frame into one event, so that a fast model does not make a
 * thousand events of a paragraph. The first delta is emitted at once. So is an event of any other
 * kind, after the deltas that wait: the order never changes.
 */
export interface Joiner {
  push(event: AgentEvent): void
  /** Emits what waits, at once. */
  flush(): void
  /** Emits what waits and stops the timer. Nothing may be pushed afterwards. */
  close(): void
}

export const createJoiner = (
  emit: (events: AgentEvent[]) => void,
  schedule: (run: () => void) => () => void = afterFrame,
): Joiner => {
  let waiting: AgentEvent[] = []
  let cancel: (() => void) | undefined

  const openFrame = () => {
    cancel = schedule(() => {
      cancel = undefined
      if (waiting.length === 0) return
      flush()
      openFrame()
    })
  }

  const flush = () => {
    const events = waiting
    waiting = []
    if (events.length > 0) emit(events)
  }

  const add = (event: AgentEvent) => {
    const last = waiting.at(-1)
    const joined = last && joinDeltas(last, event)
    if (joined) waiting[waiting.length - 1] = joined
    else waiting.push(event)
  }

  return {
    push(event) {
      add(event)
      const isFrameOpen = cancel !== undefined
      if (!isDelta(event)) flush()
      else if (!isFrameOpen) {
        flush()
        openFrame()
      }
    },
    flush,
    close() {
      flush()
      cancel?.()
      cancel = undefined
    },
  }
}

const afterFrame = (run: () => void) => {
  const timer = setTimeout(run, frameMs)
  return () => clearTimeout(timer)
}

/** Whether an event only adds to a text. */
export const isDelta = (event: AgentEvent): boolean => {
  if (event.type === 'tool_execution_update') return true
  if (event.type !== 'message_update') return false
  const { type } = event.assistantMessageEvent
  return type === 'text_delta' || type === 'thinking_delta' || type === 'tool_use_input_delta'
}

/** Two deltas of one block or one tool as one event; undefined if they are not that. */
const joinDeltas = (left: AgentEvent, right: AgentEvent): AgentEvent | undefined => {
  if (left.type === 'message_update' && right.type === 'message_update')
    return joinUpdates(left, right)
  if (left.type !== 'tool_execution_update' || right.type !== 'tool_execution_update')
    return undefined
  if (left.toolCallId !== right.toolCallId || right.gap) return undefined
  return { ...left, outputDelta: left.outputDelta + right.outputDelta }
}

const joinUpdates = (
  left: EventOf<'message_update'>,
  right: EventOf<'message_update'>,
): AgentEvent | undefined => {
  const before = left.assistantMessageEvent
  const now = right.assistantMessageEvent
  if (left.messageId !== right.messageId || before.type !== now.type) return undefined
  if (before.type === 'tool_use_input_delta' && now.type === 'tool_use_input_delta') {
    if (before.toolCallId !== now.toolCallId) return undefined
    const partialInput = before.partialInput + now.partialInput
    return { ...left, assistantMessageEvent: { ...before, partialInput } }
  }
  const isText = before.type === 'text_delta' || before.type === 'thinking_delta'
  if (!isText || (now.type !== 'text_delta' && now.type !== 'thinking_delta')) return undefined
  if (before.contentIndex !== now.contentIndex) return undefined
  return { ...left, assistantMessageEvent: { ...before, delta: before.delta + now.delta } }
}
