import type { Usage } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  numberOf,
  stringOf,
} from '../../shared/fields.ts'
import type { PlainResult } from '../plain-calls.ts'
import { providerError } from '../provider-error.ts'

/** The time of a line, in milliseconds since 1970. */
export const timestampOf = (line: Fields): number | undefined => {
  const time = Date.parse(stringOf(line.timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** The usage of a model call. `cost` counts requests of a plan, and is no amount of money. */
export const usageOf = (data: Fields): Usage | undefined => {
  const [total, cacheRead] = [countOf(data.inputTokens), countOf(data.cacheReadTokens)]
  const cacheWrite = countOf(data.cacheWriteTokens)
  const usage: Usage = defined({
    input: total === undefined ? undefined : withoutCache(total, cacheRead, cacheWrite),
    output: countOf(data.outputTokens),
    cacheRead,
    cacheWrite,
    reasoning: countOf(data.reasoningTokens),
  })
  return Object.keys(usage).length === 0 ? undefined : usage
}

const withoutCache = (total: number, cacheRead = 0, cacheWrite = 0): number =>
  Math.max(0, total - cacheRead - cacheWrite)

/** The tool calls of a message. */
export const toolRequestsOf = (data: Fields) =>
  listOf(data.toolRequests).flatMap((value) => {
    const { toolCallId, name, arguments: input } = fieldsOf(value)
    if (typeof toolCallId !== 'string') return []
    return [{ toolCallId, toolName: stringOf(name) ?? 'unknown', input: input ?? {} }]
  })

/**
 * How a call ended. A command that exits with an error is a success for Copilot: only its exit code
 * shows the error.
 */
export const outcomeOf = (data: Fields): PlainResult => {
  const result = fieldsOf(data.result)
  const exitCode = numberOf(fieldsOf(data.shellExecution).exitCode)
  const text = stringOf(result.content) ?? stringOf(fieldsOf(data.error).message) ?? ''
  return {
    ...defined({ toolName: stringOf(data.toolName), exitCode }),
    isError: data.success === false || (exitCode !== undefined && exitCode !== 0),
    content: text === '' ? [] : [{ type: 'text', text }],
    ...defined({ details: detailsOf(data, result) }),
  }
}

/** What changed in files, and why a call failed. */
const detailsOf = (data: Fields, result: Fields): object | undefined => {
  const details = defined({
    fileEdits: data.fileEdits,
    diff: diffOf(fieldsOf(listOf(data.fileEdits)[0]), stringOf(result.detailedContent)),
    errorCode: stringOf(fieldsOf(data.error).code),
    structuredContent: result.structuredContent,
  })
  return Object.keys(details).length === 0 ? undefined : details
}

/** The diff of an edit. Copilot’s heading has `a/` and `b/` in front of absolute paths. */
const diffOf = ({ path, kind }: Fields, diff: string | undefined): string | undefined => {
  const at = diff?.search(/^@@ /m) ?? -1
  if (diff === undefined || at < 0 || typeof path !== 'string') return undefined
  return `--- ${kind === 'create' ? '/dev/null' : path}\n+++ ${path}\n${diff.slice(at)}`
}

/** The error of a model call: the body of the response as JSON, or a JSON string. */
export const callErrorOf = (data: Fields): string | undefined => {
  const text = stringOf(data.errorMessage)
  if (text === undefined) return undefined
  return providerError(/^".*"$/s.test(text) ? text.slice(1, -1) : text).errorMessage
}
