import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { optionalRequestPrefix } from '../live.ts'
import { type ClaudeParts, emitRaw } from './parts.ts'
import { effortRequestPrefix } from './start.ts'

/** Decodes a `control_request` line: the program requests something of its host. */
export const decodeControlRequest = (parts: ClaudeParts, line: Fields) => {
  const { run, tools } = parts
  const request = fieldsOf(line.request)
  switch (request.subtype) {
    case 'can_use_tool':
      run.act(tools.parentOf(stringOf(request.tool_use_id)))
      return requestPermission(parts, stringOf(line.request_id) ?? '', request)
    // Between the program and its host: not part of the conversation.
    case 'hook_callback':
    case 'mcp_message':
      return
    default:
      return emitRaw(parts, line)
  }
}

const requestPermission = (
  { permissions, tools, tasks }: ClaudeParts,
  approvalId: string,
  request: Fields,
) => {
  const toolCallId = stringOf(request.tool_use_id) ?? tools.callOf(request)
  permissions.request(approvalId, request, {
    toolCallId,
    input: tools.inputOf(toolCallId),
    // The calls of a subagent inside another one are not always printed.
    parentToolCallId: tools.parentOf(toolCallId) ?? tasks.callOf(stringOf(request.agent_id)),
  })
}

/** Decodes a `control_response` line: a refusal, the list of commands, and the effort are events. */
export const decodeControlResponse = ({ emit, session }: ClaudeParts, line: Fields) => {
  const response = fieldsOf(line.response)
  const id = stringOf(response.request_id) ?? ''
  if (response.subtype !== 'error') {
    const reply = fieldsOf(response.response)
    return id.startsWith(effortRequestPrefix) ? session.settings(reply) : session.initialized(reply)
  }
  if (id.startsWith(optionalRequestPrefix)) return
  const message = stringOf(response.error) ?? 'The control request failed.'
  emit({ type: 'error', code: 'command_failed', message, fatal: false })
}
