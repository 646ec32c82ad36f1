import { countOf, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'

/**
 * The usage of a session file: of all model calls, also of those whose message did not come. The end
 * of a process has the sums of the whole session once more.
 */
export interface CopilotTotals {
  /** The usage of a model call. */
  add(usage: Fields): void
  /** The sums of the session. They are used if the file has no usage of calls. */
  final(modelMetrics: Fields): void
  /** The totals so far as a line, if they grew since the last one. */
  line(): Fields | undefined
}

const kinds = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

export const createCopilotTotals = (): CopilotTotals => {
  const byModel = new Map<string, Fields>()
  let hasCalls = false
  let isNew = false

  return {
    add(usage) {
      hasCalls = true
      isNew = true
      const model = stringOf(usage.model) ?? 'unknown'
      byModel.set(model, plus(byModel.get(model) ?? {}, usage))
    },
    final(modelMetrics) {
      if (hasCalls) return
      isNew = true
      for (const [model, metrics] of Object.entries(modelMetrics))
        byModel.set(model, plus({}, fieldsOf(fieldsOf(metrics).usage)))
    },
    line() {
      if (!isNew) return undefined
      isNew = false
      return { type: 'session.usage_totals', data: { byModel: Object.fromEntries(byModel) } }
    },
  }
}

const plus = (left: Fields, right: Fields): Fields =>
  Object.fromEntries(
    kinds.flatMap((kind) => {
      const [one, other] = [countOf(left[kind]), countOf(right[kind])]
      return one === undefined && other === undefined ? [] : [[kind, (one ?? 0) + (other ?? 0)]]
    }),
  )
