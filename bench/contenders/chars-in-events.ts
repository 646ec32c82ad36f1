import type { AgentEvent } from '../../src/events/types.ts'

/** The number of characters in all deltas of Sluice’s events. */
export const charsInEvents = (events: readonly AgentEvent[]): number => {
  let chars = 0
  for (const event of events) chars += charsInEvent(event)
  return chars
}

const charsInEvent = (event: AgentEvent): number => {
  if (event.type === 'tool_execution_update') return event.outputDelta?.length ?? 0
  if (event.type !== 'message_update') return 0
  const update = event.assistantMessageEvent
  switch (update.type) {
    case 'text_delta':
    case 'thinking_delta':
      return update.delta.length
    case 'tool_use_input_delta':
      return update.partialInput.length
    default:
      return 0
  }
}
