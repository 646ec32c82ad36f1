import type { Block, ReportedUsage, Usage } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringOf,
} from '../../shared/fields.ts'
import type { PlainResult } from '../plain-calls.ts'

/** The fields that are read of Gemini CLI’s `stream-json` lines. */
export const timeOf = (line: Fields): number | undefined => {
  const time = Date.parse(stringOf(line.timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** The counters of a `result` line, which are those of the process. */
export const reportOf = (line: Fields): ReportedUsage | undefined => {
  const stats = fieldsOf(line.stats)
  const models = Object.entries(fieldsOf(stats.models)).flatMap(([model, counts]) => {
    const usage = modelUsageOf(fieldsOf(counts))
    return Object.values(usage).some((count) => count > 0) ? [[model, usage] as const] : []
  })
  if (models.length === 0) return undefined
  return { byModel: Object.fromEntries(models), ...durationOf(line) }
}

/** How long the run took. A failed one says 0. */
export const durationOf = (line: Fields) =>
  defined({ durationMs: countOf(fieldsOf(line.stats).duration_ms) || undefined })

/** `input_tokens` includes what was cached. Thoughts are only in the total. */
const modelUsageOf = (counts: Fields): Record<string, number> & Usage => {
  const total = countOf(counts.total_tokens)
  const prompt = countOf(counts.input_tokens)
  const cacheRead = countOf(counts.cached)
  const answer = countOf(counts.output_tokens)
  const thoughts = Math.max(0, (total ?? 0) - (prompt ?? 0) - (answer ?? 0))
  const input =
    countOf(counts.input) ??
    (prompt === undefined ? undefined : Math.max(0, prompt - (cacheRead ?? 0)))
  return defined({
    input,
    output: answer === undefined ? undefined : answer + thoughts,
    cacheRead,
    reasoning: thoughts || undefined,
  })
}

/** The tokens of one answer, in a session file. */
export const messageUsageOf = (tokens: unknown): Usage | undefined => {
  if (!isFields(tokens)) return undefined
  const { input, output, cached, total } = tokens
  return modelUsageOf({ input_tokens: input, output_tokens: output, cached, total_tokens: total })
}

/** The images of a message, in a session file. */
export const imagesOf = ({ images }: Fields): Block[] =>
  listOf(images)
    .map(fieldsOf)
    .map(({ data, mimeType }) => ({
      type: 'image',
      data: stringOf(data) ?? '',
      mimeType: stringOf(mimeType) ?? '',
    }))

/** The result in a `tool_result` line. A command that fails is a success to Gemini CLI. */
export const resultOf = (line: Fields): PlainResult => {
  const { type, message } = fieldsOf(line.error)
  const text = stringOf(line.output) ?? stringOf(message)
  return {
    content: text === undefined ? [] : [{ type: 'text', text }],
    isError: line.status !== 'success',
    ...(type !== undefined && { details: { error: line.error } }),
    timestamp: timeOf(line),
  }
}
