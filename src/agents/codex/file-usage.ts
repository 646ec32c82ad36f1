import { countOf, type Fields, fieldsOf } from '../../shared/fields.ts'

/**
 * The usage in a session file. That of a model call is written twice: as a record when the model has
 * answered, and in the counts of the thread when its tools are done. An aborted call has no record, a
 * call whose process died in a tool has no counts.
 */
export interface FileUsage {
  /** The record of a call: held until the counts of the thread come. */
  record(usage: Fields): void
  /** New counts of the thread, which may be the same as before. */
  count(info: Fields): Fields
  /** What is held, if no counts will come. */
  settle(): Fields | undefined
}

/** Each returns the usage as the app-server prints it. Its totals are what the file has shown so far. */
export const createFileUsage = (): FileUsage => {
  let held: Tokens | undefined
  let counted: Tokens | undefined
  let total = none

  const add = (added: Tokens, last: Fields, modelContextWindow?: unknown): Fields => {
    held = undefined
    total = plus(total, added)
    // The calls that were added are the last ones, but only one of them fills the context.
    const totalTokens = last.total_tokens
    return { total, last: { ...added, totalTokens }, modelContextWindow }
  }

  return {
    record(usage) {
      held = plus(held ?? none, tokensIn(usage))
    },
    count({ total_token_usage: now, last_token_usage: last, model_context_window }) {
      const totals = tokensIn(now)
      const added = held ?? grown(totals, counted, tokensIn(last))
      counted = totals
      return add(added, fieldsOf(last), model_context_window)
    },
    settle: () => (held ? add(held, {}) : undefined),
  }
}

const names = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const

type Tokens = Readonly<Record<(typeof names)[number], number>>

const tokensBy = (count: (name: (typeof names)[number]) => number): Tokens => ({
  input_tokens: count('input_tokens'),
  cached_input_tokens: count('cached_input_tokens'),
  cache_write_input_tokens: count('cache_write_input_tokens'),
  output_tokens: count('output_tokens'),
  reasoning_output_tokens: count('reasoning_output_tokens'),
})

const tokensIn = (value: unknown): Tokens => {
  const usage = fieldsOf(value)
  return tokensBy((name) => countOf(usage[name]) ?? 0)
}

const none = tokensIn({})

const plus = (left: Tokens, right: Tokens): Tokens => tokensBy((name) => left[name] + right[name])

/** What counts have grown by. Counts that shrink have started again, and have the last call only. */
const grown = (now: Tokens, before: Tokens | undefined, last: Tokens): Tokens => {
  if (!before || names.some((name) => now[name] < before[name])) return last
  return tokensBy((name) => now[name] - before[name])
}
