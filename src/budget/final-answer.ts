import type { AgentEvent } from '../events/types.ts'

/** Recognises the last answer of a run: after it, the agent calls no model any more. */
export interface FinalAnswer {
  observe(event: AgentEvent): void
  /** Whether the last message looks like the end of the run. */
  isGiven(): boolean
}

export const createFinalAnswer = (): FinalAnswer => {
  let isGiven = false
  return {
    observe(event) {
      if (event.parentToolCallId !== undefined) return
      switch (event.type) {
        case 'message_end':
          isGiven = event.message.role === 'assistant' && event.message.stopReason === 'stop'
          break
        case 'agent_start':
        case 'turn_start':
        case 'message_start':
        case 'tool_call':
          isGiven = false
          break
      }
    },
    isGiven: () => isGiven,
  }
}
