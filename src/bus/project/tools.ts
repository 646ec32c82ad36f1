import { isFields } from '../../shared/fields.ts'
import { isMainThread, type ProjectionTable } from './context.ts'

/** Projects the events about tools. */
export const toolProjections: ProjectionTable = {
  tool_call({ toolCallId, input, blob }, { inputs }) {
    inputs.set(toolCallId, { input, blob })
    return []
  },
  tool_execution_start(event, { subjects, inputs }) {
    const { toolCallId, toolName, parentToolCallId, sessionId } = event
    const called = inputs.get(toolCallId)
    const args = event.args ?? called?.input
    const blob = event.args === undefined ? called?.blob : event.blob
    inputs.delete(toolCallId)
    return [
      {
        subject: subjects.tool_started,
        payload: {
          ...(isFields(args) && { args }),
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
  tool_execution_end(event, { subjects }) {
    const { type, seq, timestamp, isError, result = null, ...rest } = event
    return [
      {
        subject: subjects.tool_completed,
        payload: {
          eventType: 'tool_completed',
          isError: isError ?? event.interrupted ?? false,
          result,
          ...rest,
        },
      },
    ]
  },
  tool_result(event, { subjects, run }) {
    if (!isMainThread(event)) return []
    const { message, sessionId } = event
    run.add(message)
    return [
      {
        subject: subjects.message_complete,
        payload: { eventType: 'message_complete', message, sessionId },
      },
    ]
  },
}
