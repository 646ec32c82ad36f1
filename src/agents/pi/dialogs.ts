import type { AgentEvent, DecisionOption } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import type { OpenCall } from './tools.ts'

/** What extensions show to a person, and the questions of theirs that wait for an answer. */
export interface Dialogs {
  /** An `extension_ui_request` line; `latestCall` is the latest tool call that runs. */
  request(line: Fields, latestCall: OpenCall | undefined): void
  /** A call went on, so its question is answered. The stream does not say by whom. */
  answered(toolCallId: string): void
  /** The process is gone: ends the questions that are open. */
  close(): void
}

export const createDialogs = (emit: Emit): Dialogs => {
  /** By id, the call that each question is about. */
  const open = new Map<string, string | undefined>()

  return {
    request(line, latestCall) {
      const event = dialogEvent(line, latestCall)
      if (!event) return
      if (event.type === 'approval_request') open.set(event.approvalId, event.toolCallId)
      emit(event)
    },
    answered(toolCallId) {
      for (const [id, call] of open) if (call === toolCallId) open.delete(id)
    },
    close() {
      const outcome = { action: 'deny', outcome: 'agent_gone' } as const
      for (const [approvalId, toolCallId] of open)
        emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...outcome })
      open.clear()
    },
  }
}

/** Methods of the extension UI that wait for an answer. */
const askingMethods = new Set(['confirm', 'select', 'input', 'editor'])

/**
 * What an extension shows to a person. A question becomes an approval request. Pi does not say which
 * tool call it is about, but it asks about one call at a time: the latest that is open.
 */
const dialogEvent = (line: Fields, latestCall: OpenCall | undefined): AgentEvent | undefined => {
  const method = stringOf(line.method) ?? 'unknown'
  const title = stringOf(line.title)
  const message = stringOf(line.message)
  if (!askingMethods.has(method)) return message === undefined ? undefined : notice(line, message)
  const approvalId = stringOf(line.id) ?? ''
  const gateCall = gateRequest(title)
  if (gateCall) return { type: 'approval_request', approvalId, kind: 'tool', ...gateCall, options }
  return {
    type: 'approval_request',
    approvalId,
    kind: 'question',
    ...latestCall,
    dialog: {
      kind: method,
      ...defined({
        title,
        message,
        options: Array.isArray(line.options) ? stringsOf(line.options) : undefined,
        placeholder: stringOf(line.placeholder),
        prefill: stringOf(line.prefill),
      }),
    },
    ...defined({ timeoutMs: countOf(line.timeout) }),
  }
}

/** What a person can choose about a call. */
const options: DecisionOption[] = [
  { id: 'allow', label: 'Allow', kind: 'allow_once' },
  { id: 'deny', label: 'Deny', kind: 'reject_once' },
  { id: 'deny-and-stop', label: 'Deny and stop', kind: 'stop' },
]

/** The request of our own extension (`gate.js`), which names the call that it is about. */
const gateRequest = (title: string | undefined) => {
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
