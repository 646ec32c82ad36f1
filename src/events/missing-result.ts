import { isFields, listOf } from '../shared/fields.ts'
import { blobIn } from './blob-preview.ts'
import type { AgentEvent, Block, ToolExecutionEndEvent, ToolResultEvent } from './types.ts'

/**
 * The events that end a call which never returned: its end, and a result, so that every call has one.
 * If the agent reports the result later, that one replaces this.
 */
export const interruptCall = (
  call: Pick<ToolExecutionEndEvent, 'toolCallId' | 'toolName' | 'parentToolCallId'>,
): AgentEvent[] => {
  const { toolCallId, toolName, parentToolCallId } = call
  const end: ToolExecutionEndEvent = {
    type: 'tool_execution_end',
    toolCallId,
    toolName,
    interrupted: true,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
  return [end, missingResult(end)]
}

/** The result of a call that has ended and whose result the agent did not report. */
export const missingResult = (end: ToolExecutionEndEvent): ToolResultEvent => {
  const { toolCallId, toolName, interrupted, parentToolCallId } = end
  const call = { role: 'toolResult' as const, toolCallId, toolName }
  return {
    type: 'tool_result',
    message: interrupted
      ? { ...call, content: [{ type: 'text', text: notice }], isError: true, interrupted: true }
      : { ...call, ...outcomeOf(end), isError: hasFailed(end) },
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
}

const notice = 'Interrupted: the call returned no result.'

/** What a call has ended with. */
const outcomeOf = ({ result, blob }: ToolExecutionEndEvent) => {
  if (typeof result === 'string')
    return { content: [{ type: 'text' as const, text: result, ...(blob && { blob }) }] }
  if (!isFields(result)) return { content: [] }
  const { content, details } = result
  return { content: listOf(content).flatMap(blockOf), ...(details !== undefined && { details }) }
}

const blockOf = (value: unknown): Block[] => {
  if (!isFields(value)) return []
  const { type, text, data, mimeType } = value
  const blob = blobIn(value)
  const more = blob && { blob }
  if (type === 'text' && typeof text === 'string') return [{ type, text, ...more }]
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
    return [{ type, data, mimeType, ...more }]
  return []
}

const hasFailed = ({ isError, exitCode = 0 }: ToolExecutionEndEvent): boolean =>
  isError ?? exitCode !== 0
