import { countOf, type Fields, fieldsOf, ownValue, stringOf } from '../../shared/fields.ts'

/**
 * The usage of answers that no message shows, such as of subagents that Claude Code starts for itself.
 * In files without totals, nothing else counts it.
 */
export interface HiddenUsage {
  /** Notes an answer that is not shown. Each of its lines has the usage of all of it. */
  note(line: Fields): void
  /** What was noted since the last time, as lines of a stream: the first one closes what was shown. */
  take(): Fields[]
  /** Totals have come, which include what was noted. */
  clear(): void
}

export const createHiddenUsage = (): HiddenUsage => {
  const counted = new Set<string>()
  let held = new Map<string, Fields>()

  return {
    note({ type, message }) {
      const answer = fieldsOf(message)
      const id = stringOf(answer.id)
      if (type !== 'assistant' || id === undefined || counted.has(id)) return
      held.set(id, answer)
    },
    take() {
      if (held.size === 0) return []
      let byModel: Fields = {}
      for (const [id, { model, usage }] of held) {
        counted.add(id)
        const name = stringOf(model) ?? 'unknown'
        byModel = { ...byModel, [name]: plus(ownValue(byModel, name), fieldsOf(usage)) }
      }
      held = new Map()
      return [reportOf({}), reportOf(byModel)]
    },
    clear() {
      for (const id of held.keys()) counted.add(id)
      held = new Map()
    },
  }
}

/** The counts of a model, as a report names them. */
const names = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadInputTokens: 'cache_read_input_tokens',
  cacheCreationInputTokens: 'cache_creation_input_tokens',
} as const

const plus = (before: unknown, usage: Fields): Fields =>
  Object.fromEntries(
    Object.entries(names).map(([name, own]) => [
      name,
      (countOf(fieldsOf(before)[name]) ?? 0) + (countOf(usage[own]) ?? 0),
    ]),
  )

const reportOf = (sinceLast: Fields): Fields => ({
  type: 'usage-report',
  modelUsage: {},
  model_usage_since_last_result: sinceLast,
})
