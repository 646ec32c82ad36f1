import { defined, type Fields, fieldsOf, stringOf } from '../shared/fields.ts'
import type { HookCall, HookMessage, TerminalRun } from './hooks.ts'
import type { ApprovalReply } from './live.ts'

// The hooks of Claude Code are a model for others: Codex and Qwen Code take the same settings, and pass
// the same fields.

/** How long a hook may wait for a person, in seconds: longer than anybody sits before a prompt. */
const askSeconds = 24 * 60 * 60

/** How long a hook that reports may take, in seconds. It needs some milliseconds. */
const reportSeconds = 10

/** One group of hooks in settings of Claude Code’s form. The key `sluice` marks it as ours. */
export const hookGroup = (command: string, more: Fields): readonly unknown[] => [
  { hooks: [{ type: 'command', command, ...more }] },
]

/** A hook that asks a person, and waits. */
export const askingGroup = (command: string, mark: Fields) =>
  hookGroup(command, { timeout: askSeconds, ...mark })

/** A hook that only reports. */
export const reportingGroup = (command: string, mark: Fields) =>
  hookGroup(command, { timeout: reportSeconds, ...mark })

/** Which session the input of a hook is about; undefined if it names none. */
export const runIn = (input: Fields): TerminalRun | undefined => {
  const nativeId = stringOf(input.session_id)
  const cwd = stringOf(input.cwd)
  if (nativeId === undefined || nativeId === '' || cwd === undefined) return undefined
  return {
    nativeId,
    cwd,
    ...defined({
      transcriptPath: stringOf(input.transcript_path),
      subagentId: stringOf(input.agent_id),
      promptId: stringOf(input.prompt_id) ?? stringOf(input.turn_id),
    }),
  }
}

/** The call in the input of a hook. */
export const callIn = (input: Fields): HookCall | undefined => {
  const toolName = stringOf(input.tool_name)
  if (toolName === undefined) return undefined
  return {
    toolName,
    args: input.tool_input,
    ...defined({ callId: stringOf(input.tool_use_id) }),
  }
}

/** The notifications for which a person must do something: not that the agent is idle, or a task is done. */
const waitingReasons = /permission|elicitation_?dialog/i

/** What a hook reports that is no request, by the names of Claude Code. */
export const reportIn = (input: Fields): HookMessage | undefined => {
  const run = runIn(input)
  if (!run) return undefined
  const call = callIn(input)
  switch (input.hook_event_name) {
    case 'PreToolUse':
      return call && { ...run, type: 'call', call }
    case 'PostToolUse':
      return call && { ...run, type: 'call_ended', call, isError: false }
    case 'PostToolUseFailure':
      return call && { ...run, type: 'call_ended', call, isError: true }
    case 'PermissionDenied':
      return call && { ...run, type: 'call_ended', call, isError: true, outcome: 'denied' }
    case 'SessionStart':
      return {
        ...{ ...run, type: 'started' },
        ...defined({ source: stringOf(input.source), model: stringOf(input.model) }),
      }
    case 'UserPromptSubmit':
      return { ...run, type: 'prompted' }
    case 'Stop':
    case 'StopFailure':
    case 'SubagentStop':
      return { ...run, type: 'stopped' }
    case 'Notification': {
      const reason = stringOf(input.notification_type) ?? ''
      return waitingReasons.test(reason) ? { ...run, type: 'waiting', reason } : undefined
    }
    case 'SessionEnd':
      return { ...run, type: 'ended', ...defined({ reason: stringOf(input.reason) }) }
    default:
      return undefined
  }
}

/** The objects in the content of a message of a session file. */
export const blocksIn = (line: Fields): Fields[] => {
  const { content } = fieldsOf(line.message)
  return Array.isArray(content) ? content.map(fieldsOf) : []
}

/** Reads a hook whose requests are about calls only: no questions, plans or suggestions. */
export const plainMessage = (input: Fields): HookMessage | undefined => {
  if (input.hook_event_name !== 'PermissionRequest') return reportIn(input)
  const run = runIn(input)
  const call = callIn(input)
  if (!run || !call) return undefined
  const { toolName, args, callId } = call
  return {
    ...{ ...run, type: 'request', call },
    request: {
      ...{ type: 'approval_request', approvalId: '', kind: 'tool', toolName, args },
      ...defined({ toolCallId: callId, reasoning: stringOf(fieldsOf(args).description) }),
    },
  }
}

/** Allows or denies a call, and nothing else: some agents refuse a decision that has more. */
export const plainDecision = ({ action, message }: ApprovalReply) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision:
      action === 'allow'
        ? { behavior: 'allow' }
        : { behavior: 'deny', message: message ?? 'Denied.' },
  },
})
