import type { AgentEvent, EventOf } from '../../events/event.ts'
import { countOf, type Fields, given, numberOf, textOf, textsOf } from '../wire.ts'

type About = Omit<EventOf<'session_start'>, 'type' | 'agent' | 'parentToolCallId'>

/** What an init line says about the session. */
export const aboutOf = (line: Fields): About =>
  given({
    agentVersion: textOf(line.claude_code_version),
    nativeId: textOf(line.session_id),
    model: textOf(line.model),
    cwd: textOf(line.cwd),
    tools: Array.isArray(line.tools) ? textsOf(line.tools) : undefined,
    contextWindow: countOf(line.context_window),
    permissionMode: textOf(line.permissionMode),
  })

/** The fields that differ from what was known before; undefined when nothing does. */
export const changesOf = (before: About, now: About): About | undefined => {
  const differs = <Key extends keyof About>(key: Key) =>
    now[key] !== undefined && JSON.stringify(now[key]) !== JSON.stringify(before[key])
  const changed = given({
    agentVersion: differs('agentVersion') ? now.agentVersion : undefined,
    nativeId: differs('nativeId') ? now.nativeId : undefined,
    model: differs('model') ? now.model : undefined,
    cwd: differs('cwd') ? now.cwd : undefined,
    tools: differs('tools') ? now.tools : undefined,
    contextWindow: differs('contextWindow') ? now.contextWindow : undefined,
    permissionMode: differs('permissionMode') ? now.permissionMode : undefined,
  })
  return Object.keys(changed).length > 0 ? changed : undefined
}

export const hook = (line: Fields, status: string): AgentEvent => ({
  type: 'session_update',
  hook: {
    name: textOf(line.hook_name) ?? 'hook',
    on: textOf(line.hook_event) ?? '',
    status: textOf(line.outcome) ?? status,
    ...given({
      id: textOf(line.hook_id),
      output: textOf(line.output) ?? textOf(line.stdout),
      exitCode: numberOf(line.exit_code),
    }),
  },
})

export const notice = (level: string, text: unknown): AgentEvent => ({
  type: 'session_update',
  notice: { level, text: textOf(text) ?? '' },
})

export const retryStart = (line: Fields): AgentEvent => ({
  type: 'auto_retry_start',
  attempt: countOf(line.attempt) ?? 1,
  delayMs: countOf(line.retry_delay_ms) ?? 0,
  reason: textOf(line.error) ?? textOf(line.error_category) ?? 'unknown',
  ...given({ maxAttempts: countOf(line.max_retries) }),
})
