import type { AgentEvent } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'

/** Methods of the extension UI that wait for an answer. */
const asking = new Set(['confirm', 'select', 'input', 'editor'])

/**
 * What an extension shows to a person. A question becomes an approval request; Pi does not say
 * for which tool call it asks, but it asks for one call at a time: the latest that is open.
 */
export const dialog = (
  line: Fields,
  tool: { toolCallId: string; toolName: string } | undefined,
): AgentEvent[] => {
  const kind = stringOf(line.method) ?? 'unknown'
  const title = stringOf(line.title)
  const message = stringOf(line.message)
  if (!asking.has(kind)) return message === undefined ? [] : [notice(line, message)]
  const asked = gateQuestion(title)
  const approvalId = stringOf(line.id) ?? ''
  if (asked) return [{ type: 'approval_request', approvalId, kind: 'tool', ...asked }]
  return [
    {
      type: 'approval_request',
      approvalId,
      kind: 'question',
      ...tool,
      dialog: {
        kind,
        ...defined({
          title,
          message,
          options: Array.isArray(line.options) ? stringsOf(line.options) : undefined,
          placeholder: stringOf(line.placeholder),
        }),
      },
      ...defined({ timeoutMs: countOf(line.timeout) }),
    },
  ]
}

/** The question of our own extension, which names the call that it is about. */
const gateQuestion = (title: string | undefined) => {
  if (!title?.startsWith('{"sluice":"tool_approval"')) return undefined
  try {
    const { toolCallId, toolName, input } = fieldsOf(JSON.parse(title))
    return defined({ toolCallId: stringOf(toolCallId), toolName: stringOf(toolName), args: input })
  } catch {
    return undefined
  }
}

const notice = (line: Fields, text: string): AgentEvent => ({
  type: 'session_update',
  notice: { level: stringOf(line.notifyType) ?? 'info', text },
})
