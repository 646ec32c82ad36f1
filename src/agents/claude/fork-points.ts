import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

/**
 * The id of a line that Claude Code stores in the conversation: an answer, or the result of a tool. A
 * compaction puts a summary in the place of all that came before it.
 */
export const claudePointIn = (value: unknown): string | null | undefined => {
  const line = fieldsOf(value)
  if (line.type === 'system' && line.subtype === 'compact_boundary') return null
  if (line.type === 'conversation_reset') return null
  const isStored = isAnswer(line) || isToolResult(line)
  return isStored && stringOf(line.parent_tool_use_id) === undefined
    ? stringOf(line.uuid)
    : undefined
}

/** The output of a local command is shown, but is not part of the conversation. */
const isAnswer = ({ type, local_command_source }: Fields): boolean =>
  type === 'assistant' && local_command_source === undefined

const isToolResult = ({ type, message }: Fields): boolean =>
  type === 'user' &&
  listOf(fieldsOf(message).content).some((block) => fieldsOf(block).type === 'tool_result')
