import type { AgentEvent } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, numberOf, stringOf } from '../../shared/fields.ts'
import { type CommandReply, quietMark } from '../live.ts'

/** System lines that are one event each. */
export const hook = (line: Fields, status: string): AgentEvent => ({
  type: 'session_update',
  hook: {
    name: stringOf(line.hook_name) ?? 'hook',
    on: stringOf(line.hook_event) ?? '',
    status: stringOf(line.outcome) ?? status,
    ...defined({
      id: stringOf(line.hook_id),
      output: stringOf(line.output) ?? stringOf(line.stdout),
      exitCode: numberOf(line.exit_code),
    }),
  },
})

export const notice = (level: string, text: unknown): AgentEvent => ({
  type: 'session_update',
  notice: { level, text: stringOf(text) ?? '' },
})

/**
 * What a command of the program itself printed, `set_model` or `/compact`. It comes as words of the
 * user, and may come when nothing runs.
 */
export const commandOutput = (text: string): string | undefined =>
  /^<local-command-std(?:out|err)>(.*?)(?:<\/local-command-std(?:out|err)>)?$/s.exec(text)?.[1]

export const retryStart = (line: Fields): AgentEvent => ({
  type: 'auto_retry_start',
  attempt: countOf(line.attempt) ?? 1,
  delayMs: countOf(line.retry_delay_ms) ?? 0,
  reason: stringOf(line.error) ?? stringOf(line.error_category) ?? 'unknown',
  ...defined({ maxAttempts: countOf(line.max_retries) }),
})

/** A heartbeat of a long tool says nothing new; one for a subagent may tell of its retry. */
export const toolProgress = (line: Fields): AgentEvent[] => {
  const again = fieldsOf(line.subagent_retry)
  if (again.attempt === undefined) return []
  const parentToolCallId = stringOf(line.parent_tool_use_id)
  return [{ ...retryStart(again), ...defined({ parentToolCallId }) }]
}

/** The reply that a control response is. */
export const replyOf = (line: Fields): CommandReply => {
  const response = fieldsOf(line.response)
  return {
    id: stringOf(response.request_id) ?? '',
    ok: response.subtype === 'success',
    ...defined({ error: stringOf(response.error), data: response.response }),
  }
}

/** The answer to a request of the host; only a refusal is worth an event. */
export const controlResponse = (line: Fields): AgentEvent[] => {
  const response = fieldsOf(line.response)
  if (response.subtype !== 'error') return []
  if (stringOf(response.request_id)?.startsWith(quietMark)) return []
  const message = stringOf(response.error) ?? 'The control request failed.'
  return [{ type: 'error', code: 'command_failed', message, fatal: false }]
}
