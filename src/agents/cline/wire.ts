import type { Usage } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
} from '../../shared/fields.ts'
import type { PlainResult } from '../plain-calls.ts'

/** The usage of one iteration. Its input includes what was read from a cache. */
export const usageOf = (event: Fields, costBefore: number): Usage => {
  const [cacheRead, cacheWrite] = [countOf(event.cacheReadTokens), countOf(event.cacheWriteTokens)]
  const total = countOf(event.inputTokens)
  const cost = costOf(event, costBefore)
  return defined({
    input:
      total === undefined ? undefined : Math.max(0, total - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output: countOf(event.outputTokens),
    cacheRead,
    cacheWrite,
    cost: cost > 0 ? { total: cost } : undefined,
  })
}

/** Cline reports 0 for a model whose price it does not know: that is no cost. */
const costOf = (event: Fields, before: number): number =>
  numberOf(event.cost) ?? Math.max(0, (numberOf(event.totalCost) ?? 0) - before)

/** How a call ended. A tool that does several things at once reports a list. */
export const outcomeOf = (event: Fields): PlainResult => {
  const { output } = event
  const parts = Array.isArray(output) ? output.map(fieldsOf) : []
  const error = stringOf(event.error)
  const failed = parts.find(({ success }) => success === false)
  const text = textOf(output) ?? error ?? ''
  return {
    ...defined({
      toolName: stringOf(event.toolName),
      exitCode: exitCodeIn(stringOf(failed?.error)),
      durationMs: countOf(event.durationMs),
    }),
    isError: error !== undefined || failed !== undefined || fieldsOf(output).success === false,
    content: text === '' ? [] : [{ type: 'text', text }],
  }
}

/** Cline reports the exit code of a command only in words, and only if it is not 0. */
const exitCodeIn = (error: string | undefined): number | undefined => {
  const found = /\bexited with code (\d+)/.exec(error ?? '')
  return found ? Number(found[1]) : undefined
}

const textOf = (output: unknown): string | undefined => {
  if (Array.isArray(output)) return textOfList(output)
  if (!isFields(output)) return stringOf(output)
  const text = stringOf(output.result) ?? stringOf(output.text) ?? stringOf(output.error)
  return text ?? JSON.stringify(output)
}

const textOfList = (parts: readonly unknown[]): string => {
  if (parts.length === 1) return textOf(parts[0]) ?? ''
  return listOf(parts)
    .map((part) => `${stringOf(fieldsOf(part).query) ?? ''}\n${textOf(part) ?? ''}`)
    .join('\n')
}
