import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringOf,
} from '../../shared/fields.ts'
import { lineText } from './file-turns.ts'

/** Lines that are written at any moment, and say nothing about where a turn ends. */
const beside: ReadonlySet<unknown> = new Set([
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attachment',
  'attribution-snapshot',
  'file-history-snapshot',
  'progress',
])

/** Lines that describe requests, settings and the terminal, not the conversation. */
const skipped: ReadonlySet<unknown> = new Set([
  ...beside,
  'agent-color',
  'agent-name',
  'agent-setting',
  'content-replacement',
  'last-prompt',
  'mode',
  'pr-link',
  'queue-operation',
  'speculation-accept',
  'tag',
  'task-summary',
  'tools-used',
  'worktree-state',
])

const titles: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'summary'])

/** Whether a line is a title of the session, or a permission mode. */
export const isSettings = ({ type }: Fields): boolean =>
  titles.has(type) || type === 'permission-mode'

/** The title in a line. */
export const storedTitle = (line: Fields): string | undefined =>
  stringOf(line.customTitle) ?? stringOf(line.aiTitle) ?? stringOf(line.summary)

/** Whether a line is from a session file. Lines of a stream have `session_id` instead. */
export const isClaudeFileLine = (line: unknown): boolean =>
  isFields(line) &&
  (skipped.has(line.type) ||
    titles.has(line.type) ||
    (stringOf(line.sessionId) !== undefined && line.type !== 'result'))

/** Whether a line belongs to no turn. */
export const isBeside = ({ type }: Fields): boolean => beside.has(type)

/** Whether a line has nothing that a reader needs. */
export const isSkipped = (line: Fields): boolean =>
  skipped.has(line.type) ||
  line.isMeta === true ||
  line.turnCompanion === true ||
  (line.type === 'system' && skippedSystem.has(line.subtype))

const skippedSystem: ReadonlySet<unknown> = new Set([
  'agents_killed',
  'api_metrics',
  'bridge_status',
  'file_snapshot',
  'microcompact_boundary',
  'permission_retry',
  'stop_hook_summary',
  'turn_duration',
])

/** A resumed conversation gets an answer where none has come, so that the model can go on. */
export const isPlaceholder = (line: Fields): boolean =>
  line.type === 'assistant' &&
  fieldsOf(line.message).model === '<synthetic>' &&
  lineText(line) === 'No response requested.'

/** A command that does not exist is answered in the place of the prompt. */
const unknownCommand = /^Unknown (?:slash command|command|skill): \S+$/

/** A line with what a command printed, marked as such. */
export const withOutput = (line: Fields): Fields => {
  const message = fieldsOf(line.message)
  const text = stringOf(message.content)
  if (line.type !== 'user' || text === undefined || !unknownCommand.test(text)) return line
  const content = `<local-command-stdout>${text}</local-command-stdout>`
  return { ...line, message: { ...message, content } }
}

/** A line of a session file as Claude Code prints it to its stream. */
export const streamLineOf = (line: Fields): Fields => {
  switch (line.type) {
    case 'user':
      return userLine(line)
    case 'system':
      return systemLine(line)
    case 'assistant':
      return answerLine(line)
    case 'custom-title':
    case 'ai-title':
    case 'summary':
      return { type: 'system', subtype: 'session_title_changed', title: storedTitle(line) }
    case 'permission-mode':
      return { type: 'system', subtype: 'status', permissionMode: line.permissionMode }
    default:
      return line
  }
}

const answerLine = (line: Fields): Fields => ({
  ...line,
  ...(line.isAbortedMidStream === true && { aborted: true }),
  ...(line.isApiErrorMessage === true && { is_api_error_message: true }),
})

/** A subagent was sent to the background: the stream has a line for it, and a file only the result. */
export const launchLine = (line: Fields): Fields | undefined => {
  const { status, agentId, description } = fieldsOf(line.toolUseResult)
  if (line.type !== 'user' || status !== 'async_launched') return undefined
  const results = listOf(fieldsOf(line.message).content).map(fieldsOf)
  const toolUseId = results.find(({ type }) => type === 'tool_result')?.tool_use_id
  if (stringOf(agentId) === undefined || stringOf(toolUseId) === undefined) return undefined
  return {
    ...{ type: 'system', subtype: 'task_started', task_id: agentId, tool_use_id: toolUseId },
    ...{ task_type: 'local_agent', description, is_backgrounded: true },
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
