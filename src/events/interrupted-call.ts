import type { AgentEvent } from './types.ts'

/** The end and the result of a call that was cut short. Every call has both, whatever became of it. */
export const interruptedCall = (toolCallId: string, toolName: string): AgentEvent[] => [
  { type: 'tool_execution_end', toolCallId, toolName, interrupted: true },
  {
    type: 'tool_result',
    message: {
      role: 'toolResult',
      toolCallId,
      toolName,
      content: [{ type: 'text', text: 'Interrupted: the call returned no result.' }],
      isError: true,
      interrupted: true,
    },
  },
]
