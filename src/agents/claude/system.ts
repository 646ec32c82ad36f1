import type { AgentEvent } from '../../events/types.ts'
import { defined, type Fields, numberOf, stringOf } from '../../shared/fields.ts'
import { type ClaudeParts, emitRaw, noticeEvent } from './parts.ts'

/** Decodes a `system` line. */
export const decodeSystem = (parts: ClaudeParts, line: Fields) => {
  const { emit, session, tasks } = parts
  switch (line.subtype) {
    case 'init':
    case undefined:
      return init(parts, line)
    case 'status':
      return status(parts, line)
    case 'api_retry':
      return retry(parts, line)
    case 'task_started':
      return tasks.started(line)
    case 'task_progress':
      return tasks.progress(line)
    case 'task_updated':
      return tasks.updated(line)
    case 'task_notification':
      return taskNotification(parts, line)
    case 'background_tasks_changed':
      return tasks.changed(line)
    case 'compact_boundary':
      return compactBoundary(parts, line)
    case 'permission_denied':
      return parts.permissions.denied(line)
    case 'hook_started':
      return emit(hookEvent(line, 'started'))
    case 'hook_progress':
      return emit(hookEvent(line, 'running'))
    case 'hook_response':
      return emit(hookEvent(line, 'completed'))
    case 'informational':
    case 'notification':
      parts.hasOutput = true
      return emit(noticeEvent(stringOf(line.level) ?? 'info', line.content ?? line.text))
    case 'model_refusal_no_fallback':
      return emit(noticeEvent('warning', line.content))
    case 'model_fallback':
      return session.fallback(line)
    case 'session_title_changed':
      return emit({ type: 'session_update', ...defined({ name: stringOf(line.title) }) })
    case 'session_state_changed':
      return emit({ type: 'session_update', ...defined({ status: stringOf(line.state) }) })
    // Nothing that a reader needs: a running estimate, a hint to redraw.
    case 'thinking_tokens':
    case 'ui_invalidate':
      return
    default:
      return emitRaw(parts, line)
  }
}

const init = (parts: ClaudeParts, line: Fields) => {
  parts.session.init(line)
  parts.run.init()
  parts.hasOutput = false
}

const status = (parts: ClaudeParts, line: Fields) => {
  if (line.status === 'compacting') {
    beforeCompaction(parts)
    parts.compaction.start()
  }
  if (line.compact_result !== undefined) parts.compaction.outcome(line)
  parts.session.status(line)
}

const compactBoundary = (parts: ClaudeParts, line: Fields) => {
  beforeCompaction(parts)
  parts.compaction.boundary(line)
}

/** The messages that a compaction summarises are complete. */
const beforeCompaction = ({ run, messages }: ClaudeParts) => {
  run.act()
  messages.closeThread(undefined)
}

const retry = (parts: ClaudeParts, line: Fields) => {
  parts.run.act()
  parts.retry.start(line)
}

const taskNotification = ({ tasks, run, tools }: ClaudeParts, line: Fields) => {
  tasks.notification(line)
  const toolCallId = stringOf(line.tool_use_id)
  if (toolCallId === undefined) return
  run.notify()
  tools.endDetached(toolCallId, stringOf(line.status) !== 'completed')
}

const hookEvent = (line: Fields, status: string): AgentEvent => ({
  type: 'session_update',
  ...(line.outcome === 'error' && { notice: { level: 'warning', text: hookFailure(line) } }),
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

/** A hook with exit code 2 refuses a call or a prompt; with another one it failed. */
const hookFailure = (line: Fields): string => {
  const code = numberOf(line.exit_code)
  const printed = (stringOf(line.stderr) || stringOf(line.output) || '').trim()
  const exit = code === undefined ? '' : ` with exit code ${code}`
  const outcome = code === 2 ? 'refused it' : `failed${exit}`
  return `The hook ${stringOf(line.hook_name) ?? ''} ${outcome}${printed && `: ${printed}`}`
}
