import { isMain, type ProjectionTable } from './context.ts'

/** What becomes of the events about tools. */
export const toolProjections: ProjectionTable = {
  tool_call(event, { inputs }) {
    const { input, blob } = event
    inputs.set(event.toolCallId, { input, blob })
    return []
  },
  tool_execution_start(event, { to, inputs }) {
    const { toolCallId, toolName, parentToolCallId, sessionId } = event
    const called = inputs.get(toolCallId)
    const args = event.args ?? called?.input
    const blob = event.args === undefined ? called?.blob : event.blob
    inputs.delete(toolCallId)
    return [
      {
        subject: to.tool_started,
        payload: {
          ...(isRecord(args) && { args }),
          ...(blob && { blob }),
          eventType: 'tool_started',
          toolCallId,
          toolName,
          ...(parentToolCallId !== undefined && { parentToolCallId }),
          sessionId,
        },
      },
    ]
  },
  tool_execution_end(event, { to }) {
    const { type, seq, timestamp, isError, result = null, ...rest } = event
    return [
      {
        subject: to.tool_completed,
        payload: {
          eventType: 'tool_completed',
          isError: isError ?? event.interrupted ?? false,
          result,
          ...rest,
        },
      },
    ]
  },
  tool_result(event, { to, run }) {
    if (!isMain(event)) return []
    const { message, sessionId } = event
    run.add(message)
    return [
      {
        subject: to.message_complete,
        payload: { eventType: 'message_complete', message, sessionId },
      },
    ]
  },
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
