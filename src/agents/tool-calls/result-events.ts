import type { Block, ToolExecutionEndEvent, ToolResultEvent } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'

/** A call that has ended, as its agent reports it. */
export interface EndedCall {
  toolCallId: string
  toolName: string
  content: Block[]
  isError: boolean
  exitCode?: number | undefined
  durationMs?: number | undefined
  details?: unknown
  /** In ms since 1970. */
  timestamp?: number | undefined
}

/** The events that end a call. */
export const resultEvents = (
  call: EndedCall,
): { end: ToolExecutionEndEvent; result: ToolResultEvent } => {
  const { toolCallId, toolName, content, isError, exitCode, durationMs, details, timestamp } = call
  return {
    end: {
      ...{ type: 'tool_execution_end', toolCallId, toolName },
      ...defined({ exitCode }),
      ...{ isError, result: { content }, ...defined({ durationMs }) },
    },
    result: {
      type: 'tool_result',
      message: {
        ...{ role: 'toolResult', toolCallId, toolName, content },
        ...defined({ details }),
        ...{ isError, ...defined({ timestamp }) },
      },
    },
  }
}
