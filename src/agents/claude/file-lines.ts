import { countOf, defined, type Fields, fieldsOf, isFields, stringOf } from '../../shared/fields.ts'

/** Lines of a session file that describe requests, settings and the terminal, not the conversation. */
const skipped: ReadonlySet<unknown> = new Set([
  'agent-name',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attachment',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'queue-operation',
  'summary',
  'tools-used',
])

/** Whether a line is from a session file. Lines of a stream have `session_id` instead. */
export const isClaudeFileLine = (line: unknown): boolean =>
  isFields(line) &&
  (skipped.has(line.type) || (stringOf(line.sessionId) !== undefined && line.type !== 'result'))

/** Lines that are written at any moment, and say nothing about where a turn ends. */
const beside: ReadonlySet<unknown> = new Set([
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attachment',
  'file-history-snapshot',
])

/** Whether a line belongs to no turn. */
export const isBeside = ({ type }: Fields): boolean => beside.has(type)

/** Whether a line has nothing that a reader needs. */
export const isSkipped = (line: Fields): boolean =>
  skipped.has(line.type) ||
  line.isMeta === true ||
  line.turnCompanion === true ||
  line.subtype === 'turn_duration' ||
  line.subtype === 'stop_hook_summary'

/** A line of a session file as Claude Code prints it to its stream. */
export const streamLineOf = (line: Fields): Fields => {
  switch (line.type) {
    case 'user':
      return userLine(line)
    case 'system':
      return systemLine(line)
    case 'custom-title':
      return { type: 'system', subtype: 'session_title_changed', title: line.customTitle }
    case 'permission-mode':
      return { type: 'system', subtype: 'status', permissionMode: line.permissionMode }
    default:
      return line
  }
}

const userLine = (line: Fields): Fields => {
  const { toolUseResult, ...rest } = line
  const { content } = fieldsOf(line.message)
  const isNotification = typeof content === 'string' && content.startsWith('<task-notification>')
  if (isNotification) return notificationLine(content)
  return { ...rest, ...(toolUseResult !== undefined && { tool_use_result: toolUseResult }) }
}

/** The model hears of a task in the background by a message. The stream has a line for it. */
const notificationLine = (text: string): Fields => {
  const part = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(text)?.[1]
  return {
    type: 'system',
    subtype: 'task_notification',
    task_id: part('task-id'),
    tool_use_id: part('tool-use-id'),
    status: part('status'),
    summary: part('summary'),
    output_file: part('output-file'),
  }
}

const systemLine = (line: Fields): Fields => {
  switch (line.subtype) {
    case 'compact_boundary':
      return { ...line, compact_metadata: compactMetadata(fieldsOf(line.compactMetadata)) }
    case 'api_error':
      return retryLine(line)
    case 'local_command':
      return { ...line, type: 'user', message: { role: 'user', content: line.content } }
    default:
      return line
  }
}

const compactMetadata = (metadata: Fields): Fields => ({
  trigger: metadata.trigger,
  pre_tokens: metadata.preTokens,
  post_tokens: metadata.postTokens,
  preserved_segment: { head_uuid: fieldsOf(metadata.preservedSegment).headUuid },
})

const retryLine = (line: Fields): Fields => {
  const error = fieldsOf(line.error)
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt: line.retryAttempt,
    max_retries: line.maxRetries,
    retry_delay_ms: line.retryInMs,
    ...defined({
      error_status: countOf(error.status),
      error: stringOf(error.formatted) ?? stringOf(error.message),
    }),
  }
}
