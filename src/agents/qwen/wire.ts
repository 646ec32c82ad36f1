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
import type { PlainResult } from '../plain-calls.ts'

/** The fields that are read of Qwen Code’s messages, usage and results. */

/** Tokens of a model call. `input_tokens` includes what was cached. Undefined if all are zero. */
export const usageOf = (value: unknown): Usage | undefined => {
  const { input_tokens, output_tokens, cache_read_input_tokens } = fieldsOf(value)
  return tokensOf(input_tokens, output_tokens, cache_read_input_tokens)
}

const tokensOf = (prompt: unknown, output: unknown, cached: unknown): Usage | undefined => {
  const cacheRead = countOf(cached)
  const whole = countOf(prompt)
  if (!whole && !countOf(output)) return undefined
  const input = whole === undefined ? undefined : Math.max(0, whole - (cacheRead ?? 0))
  return defined({ input, output: countOf(output), cacheRead })
}

/**
 * The counters of a `result` line. They count the whole conversation, also what another process did
 * before this one resumed it, and model calls that no line shows.
 */
export const reportOf = (line: Fields, model: string): ReportedUsage | undefined => {
  const models = Object.entries(fieldsOf(fieldsOf(line.stats).models)).flatMap(([name, counts]) => {
    const { prompt, candidates, cached } = fieldsOf(fieldsOf(counts).tokens)
    const usage = tokensOf(prompt, candidates, cached)
    return usage ? [[name, usage] as const] : []
  })
  const usage = usageOf(line.usage)
  if (models.length === 0 && usage) models.push([model, usage])
  if (models.length === 0) return undefined
  return { counts: 'conversation', byModel: Object.fromEntries(models), ...figuresOf(line) }
}

/** How long a run took, and in how many steps. */
export const figuresOf = (line: Fields) =>
  defined({
    durationMs: countOf(line.duration_ms),
    durationApiMs: countOf(line.duration_api_ms) || undefined,
    numTurns: countOf(line.num_turns),
  })

/** The result in a `tool_result` block. */
export const resultOf = (block: Fields, toolName: string | undefined): PlainResult => {
  const content = textBlocksOf(block.content)
  const exitCode = toolName === 'run_shell_command' ? exitCodeIn(content) : undefined
  return { content, isError: block.is_error === true, exitCode }
}

/** The exit code is a line of the report that it prints about some commands. */
const exitCodeIn = ([first]: readonly Block[]): number | undefined => {
  const text = first?.type === 'text' ? stringOf(first.text) : undefined
  const found = /^Exit Code: (\d+)$/m.exec(text ?? '')
  return found ? Number(found[1]) : undefined
}

/** Content: plain text, or a list of blocks. */
export const textBlocksOf = (content: unknown): Block[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return listOf(content).filter(isFields).map(blockOf)
}

const blockOf = (block: Fields): Block => {
  const { type, text } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  const { type: kind, data, media_type: mimeType } = fieldsOf(block.source)
  if (type !== 'image' || kind !== 'base64' || typeof data !== 'string') return foreignBlock(block)
  return { type, data, mimeType: stringOf(mimeType) ?? '' }
}

const stopReasons: Readonly<Record<string, string>> = { tool_use: 'toolUse', max_tokens: 'length' }

/** Why a message stopped. Mostly the line does not say it. */
export const stopReasonOf = (value: unknown): string | undefined => {
  const reason = stringOf(value)
  return reason === undefined ? undefined : (ownValue(stopReasons, reason) ?? reason)
}

/** The reply to a command in a `control_response` line. */
export const replyOf = (line: Fields): CommandReply => {
  const response = fieldsOf(line.response)
  return {
    id: stringOf(response.request_id) ?? '',
    ok: response.subtype === 'success',
    ...defined({ error: errorText(response.error), data: response.response }),
  }
}

const errorText = (error: unknown): string | undefined =>
  stringOf(error) ?? stringOf(fieldsOf(error).message)
