import type { Block, ReportedUsage, Usage } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  ownValue,
  stringOf,
} from '../../shared/fields.ts'
import { foreignBlock } from '../foreign-block.ts'
import type { CommandReply } from '../live.ts'

/** The fields that are read of Claude Code’s messages, usage and results. */
export const usageOf = (value: unknown): Usage => {
  const usage = fieldsOf(value)
  const serverTools = fieldsOf(usage.server_tool_use)
  return defined({
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
    cacheWrite1h: countOf(fieldsOf(usage.cache_creation).ephemeral_1h_input_tokens) || undefined,
    reasoning: countOf(fieldsOf(usage.output_tokens_details).thinking_tokens) || undefined,
    webSearchRequests: countOf(serverTools.web_search_requests) || undefined,
    webFetchRequests: countOf(serverTools.web_fetch_requests) || undefined,
  })
}

/** The time of a line by the agent’s clock, in ms since 1970. Old versions give none. */
export const timestampOf = (line: Fields): number | undefined => {
  const time = Date.parse(stringOf(line.timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** Whether a line repeats the usage of the line before it. Most lines of a message do. */
export const repeatsUsage = (before: unknown, now: unknown): boolean => {
  const left = fieldsOf(before)
  const right = fieldsOf(now)
  return (
    left.output_tokens === right.output_tokens &&
    left.input_tokens === right.input_tokens &&
    left.cache_read_input_tokens === right.cache_read_input_tokens &&
    left.cache_creation_input_tokens === right.cache_creation_input_tokens
  )
}

/** A message reports its usage many times, the early ones too low: the larger numbers count. */
export const largerUsage = (left: Usage, right: Usage): Usage =>
  defined({
    input: larger(left.input, right.input),
    output: larger(left.output, right.output),
    cacheRead: larger(left.cacheRead, right.cacheRead),
    cacheWrite: larger(left.cacheWrite, right.cacheWrite),
    cacheWrite1h: larger(left.cacheWrite1h, right.cacheWrite1h),
    reasoning: larger(left.reasoning, right.reasoning),
    webSearchRequests: larger(left.webSearchRequests, right.webSearchRequests),
    webFetchRequests: larger(left.webFetchRequests, right.webFetchRequests),
  })

const larger = (left: number | undefined, right: number | undefined) =>
  left === undefined || right === undefined ? (left ?? right) : Math.max(left, right)

const stopReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'toolUse',
}

/** Why a message stopped: the provider’s word, translated into ours where there is one. */
export const stopReasonOf = (value: unknown): string | undefined => {
  const reason = stringOf(value)
  return reason === undefined ? undefined : (ownValue(stopReasons, reason) ?? reason)
}

/** The content of a tool’s result or of a user message: plain text, or a list of blocks. */
export const blocksOf = (content: unknown): Block[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return listOf(content).filter(isFields).map(blockOf)
}

/** A block of the provider’s API in our shape; one of an unknown type stays as it is. */
export const blockOf = (block: Fields): Block => {
  const type = stringOf(block.type) ?? 'unknown'
  switch (type) {
    case 'text':
      return { type, text: stringOf(block.text) ?? '' }
    case 'thinking':
      return { type, thinking: stringOf(block.thinking) ?? '' }
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', redacted: true }
    case 'tool_use':
    case 'server_tool_use':
      return toolBlock(block)
    case 'image':
      return imageBlock(block)
    default:
      return foreignBlock(block)
  }
}

const toolBlock = (block: Fields): Block => ({
  type: 'toolCall',
  id: stringOf(block.id) ?? '',
  name: stringOf(block.name) ?? '',
  arguments: block.input ?? {},
})

const imageBlock = (block: Fields): Block => {
  const source = fieldsOf(block.source)
  const data = stringOf(source.data)
  if (data === undefined) return foreignBlock(block)
  return { type: 'image', data, mimeType: stringOf(source.media_type) ?? '' }
}

export const textOfBlocks = (blocks: readonly Block[]): string =>
  blocks.map((block) => (block.type === 'text' ? (stringOf(block.text) ?? '') : '')).join('')

/** The exit code of Bash, which is in the first line of a failed result. */
export const exitCodeOf = (toolName: string, content: readonly Block[]): number | undefined => {
  const [first] = content
  if (toolName !== 'Bash' || first?.type !== 'text') return undefined
  const found = /^Exit code (\d+)(?:\n|$)/.exec(stringOf(first.text) ?? '')
  return found ? Number(found[1]) : undefined
}

/** Model names have a suffix for the context window (`[1m]`) in some lines and not in others. */
const modelName = (key: string): string => key.replace(/\[[^\]]*\]$/, '')

const modelUsage = (value: unknown): Record<string, Usage> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([key, raw]) => {
      const entry = fieldsOf(raw)
      const total = countOf(entry.costUSD)
      const usage: Usage = defined({
        input: countOf(entry.inputTokens),
        output: countOf(entry.outputTokens),
        cacheRead: countOf(entry.cacheReadInputTokens),
        cacheWrite: countOf(entry.cacheCreationInputTokens),
        reasoning: countOf(entry.thinkingTokens) || undefined,
        webSearchRequests: countOf(entry.webSearchRequests) || undefined,
        cost: total === undefined ? undefined : { total },
      })
      return [modelName(key), usage]
    }),
  )

/** The counters of a result: of the whole process, and since the last result. */
export const reportedOf = (result: Fields): ReportedUsage => {
  const entries = Object.values(fieldsOf(result.modelUsage)).map(fieldsOf)
  const isEstimated = entries.some((entry) => entry.costBasis === 'unknown')
  const since = result.model_usage_since_last_result
  return defined({
    costUsd: countOf(result.total_cost_usd),
    costBasis: isEstimated ? ('estimated' as const) : ('reported' as const),
    byModel: modelUsage(result.modelUsage),
    sinceLast: since === undefined ? undefined : modelUsage(since),
  })
}

/** The context window of the session’s model; if that is not listed, of the busiest model. */
export const contextWindowOf = (result: Fields, model: string | undefined): number | undefined => {
  const models = Object.entries(fieldsOf(result.modelUsage)).map(([key, raw]) => ({
    key,
    ...fieldsOf(raw),
  }))
  const tokensOf = (entry: Fields) =>
    (countOf(entry.inputTokens) ?? 0) +
    (countOf(entry.cacheReadInputTokens) ?? 0) +
    (countOf(entry.cacheCreationInputTokens) ?? 0)
  const own = models.find((entry) => entry.key === model)
  const busiest = models.toSorted((left, right) => tokensOf(right) - tokensOf(left))[0]
  return countOf(fieldsOf(own ?? busiest).contextWindow)
}

/** The reply to a command in a `control_response` line. */
export const replyOf = (line: Fields): CommandReply => {
  const response = fieldsOf(line.response)
  return {
    id: stringOf(response.request_id) ?? '',
    ok: response.subtype === 'success',
    ...defined({ error: stringOf(response.error), data: response.response }),
  }
}
