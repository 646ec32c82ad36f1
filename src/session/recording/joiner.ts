import type { AgentEvent, EventOf } from '../../events/types.ts'

/** How long deltas may be gathered: one frame of a screen. */
const frameMs = 16

export interface Joiner {
  push(event: AgentEvent): void
  /** Hands over what waits, at once. */
  flush(): void
  /** Drops the timer; nothing may be pushed afterwards. */
  close(): void
}

/**
 * Joins deltas that arrive within one frame into one event, so that a fast model does not make a
 * thousand events of a paragraph. The first goes out at once; anything that is not a delta takes
 * what waits along with it, so that the order never changes.
 */
export const createJoiner = (
  tell: (events: AgentEvent[]) => void,
  schedule: (run: () => void) => () => void = inFrame,
): Joiner => {
  let waiting: AgentEvent[] = []
  let cancel: (() => void) | undefined

  const openFrame = () => {
    cancel = schedule(() => {
      cancel = undefined
      if (waiting.length === 0) return
      handOver()
      openFrame()
    })
  }

  const handOver = () => {
    const events = waiting
    waiting = []
    if (events.length > 0) tell(events)
  }

  const wait = (event: AgentEvent) => {
    const last = waiting.at(-1)
    const joined = last && joinDeltas(last, event)
    if (joined) waiting[waiting.length - 1] = joined
    else waiting.push(event)
  }

  return {
    push(event) {
      wait(event)
      const isFree = cancel === undefined
      if (!isDelta(event)) handOver()
      else if (isFree) {
        handOver()
        openFrame()
      }
    },
    flush: handOver,
    close() {
      handOver()
      cancel?.()
      cancel = undefined
    },
  }
}

const inFrame = (run: () => void) => {
  const timer = setTimeout(run, frameMs)
  return () => clearTimeout(timer)
}

/** Whether an event only makes a text longer. */
export const isDelta = (event: AgentEvent): boolean => {
  if (event.type === 'tool_execution_update') return true
  if (event.type !== 'message_update') return false
  const { type } = event.assistantMessageEvent
  return type === 'text_delta' || type === 'thinking_delta' || type === 'tool_use_input_delta'
}

/** Two deltas of the same block, or of the same tool, as one; undefined when they are not. */
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
