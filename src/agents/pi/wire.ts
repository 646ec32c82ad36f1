import type { Block, Cost, Message, MessageRole, Usage } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  flagOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
} from '../../shared/fields.ts'
import type { CommandReply } from '../live.ts'
import { type ProviderError, providerError } from '../provider-error.ts'

/** The fields that are read of Pi’s messages, usage and results. */
export const usageOf = (value: unknown): Usage | undefined => {
  if (!isFields(value)) return undefined
  return defined({
    input: countOf(value.input),
    output: countOf(value.output),
    cacheRead: countOf(value.cacheRead),
    cacheWrite: countOf(value.cacheWrite),
    reasoning: countOf(value.reasoning),
    totalTokens: countOf(value.totalTokens),
    cost: costOf(value.cost),
  })
}

const costOf = (value: unknown): Cost | undefined => {
  const cost = fieldsOf(value)
  const total = numberOf(cost.total)
  if (total === undefined) return undefined
  return defined({
    total,
    input: numberOf(cost.input),
    output: numberOf(cost.output),
    cacheRead: numberOf(cost.cacheRead),
    cacheWrite: numberOf(cost.cacheWrite),
  })
}

/** The content of a message: a list of blocks, or plain text. */
export const blocksOf = (content: unknown): Block[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).filter(isFields).map(blockOf)
}

const blockOf = (block: Fields): Block => {
  const type = stringOf(block.type) ?? 'unknown'
  if (type === 'text') return { type, text: stringOf(block.text) ?? '' }
  if (type === 'thinking')
    return defined({
      type,
      thinking: stringOf(block.thinking) ?? '',
      redacted: flagOf(block.redacted),
    })
  if (type === 'toolCall')
    return {
      type,
      id: stringOf(block.id) ?? '',
      name: stringOf(block.name) ?? '',
      arguments: block.arguments,
    }
  if (type === 'image')
    return { type, data: stringOf(block.data) ?? '', mimeType: stringOf(block.mimeType) ?? '' }
  return { ...block, type }
}

/** The text of a tool’s output so far. */
export const outputText = (result: unknown): string => {
  let text = ''
  for (const item of listOf(fieldsOf(result).content)) text += stringOf(fieldsOf(item).text) ?? ''
  return text
}

/** The role of a message. A tool result is not one: it has an event of its own. */
export const roleOf = (message: Fields): MessageRole => {
  const role = message.role
  if (role === 'user' || role === 'assistant' || role === 'system') return role
  return role === 'compactionSummary' ? role : 'custom'
}

export const messageOf = (message: Fields): Message =>
  defined({
    role: roleOf(message),
    content: blocksOf(message.content),
    model: stringOf(message.model),
    provider: stringOf(message.provider),
    usage: usageOf(message.usage),
    stopReason: stringOf(message.stopReason),
    ...errorOf(stringOf(message.errorMessage)),
    timestamp: numberOf(message.timestamp),
    durationMs: countOf(message.durationMs),
    nativeId: stringOf(message.responseId),
    customType: stringOf(message.customType),
  })

const errorOf = (text: string | undefined): Partial<ProviderError> =>
  text === undefined ? {} : providerError(text)

/** The exit code: a field since 1.x, before that the last line of the output. */
export const exitCodeOf = (toolName: string, result: unknown): number | undefined => {
  const structured = numberOf(fieldsOf(fieldsOf(result).structuredContent).exit_code)
  if (structured !== undefined || toolName !== 'bash') return structured
  const found = /(?:^|\n)Command exited with code (\d+)\s*$/.exec(outputText(result))
  return found ? Number(found[1]) : undefined
}

/** Whether an error is an abort. 0.87 reports an abort during a tool as an error with this text. */
export const isAbortText = (text: string | undefined): boolean =>
  text !== undefined &&
  /^(This operation was aborted|Request was aborted\.?|Operation aborted)$/.test(text)

/** The reply to a command in a `response` line. */
export const replyOf = (line: Fields): CommandReply => ({
  id: idOf(line.id),
  ok: line.success === true,
  ...defined({ error: stringOf(line.error), data: line.data }),
})

/** The id of a line. Pi echoes ids as they were sent, numbers too. */
export const idOf = (id: unknown): string =>
  typeof id === 'number' ? String(id) : (stringOf(id) ?? '')
