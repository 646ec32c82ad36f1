import type { Provenance, TokenCounts, Totals, Usage } from './types.ts'

/** What is counted: the kinds of tokens, and what the provider did for the model. */
export const tokenKinds = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'reasoning',
  'webSearchRequests',
  'webFetchRequests',
] as const
export type TokenKind = (typeof tokenKinds)[number]

/** Adds token counts by kind. A kind that both sides lack stays absent. */
export const addTokens = (left: TokenCounts, right: TokenCounts): TokenCounts => {
  const sum: TokenCounts = {}
  for (const kind of tokenKinds) if (left[kind] !== undefined) sum[kind] = left[kind]
  for (const kind of tokenKinds) {
    const added = right[kind]
    if (added !== undefined) sum[kind] = (sum[kind] ?? 0) + added
  }
  return sum
}

/** The tokens in the context window after a model call: all of its input, cached or not. */
export const contextTokens = (usage: Usage): number =>
  (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)

/** Tokens of all kinds. Reasoning is a part of the output. */
export const allTokens = ({
  input,
  output,
  cacheRead,
  cacheWrite,
}: Pick<Totals, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>): number =>
  input + output + cacheRead + cacheWrite

/** The totals of no calls. */
export const emptyTotals = (): Totals => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  costUsd: null,
  provenance: { tokens: 'reported', cost: null },
})

/** Durations and turns, which add up like the counts. */
export const runFigures = ['durationMs', 'durationApiMs', 'numTurns'] as const
export type RunFigures = Pick<Totals, (typeof runFigures)[number]>

/** Adds durations and turns. One that both sides lack stays absent. */
export const addRunFigures = <Sum extends RunFigures>(left: Sum, right: RunFigures): Sum => {
  const sum: Sum = { ...left }
  for (const figure of runFigures) {
    const added = right[figure]
    if (added !== undefined) sum[figure] = (sum[figure] ?? 0) + added
  }
  return sum
}

/** Adds totals. A sum is as reliable as the weakest of its parts. */
export const addTotals = (sum: Totals, added: Totals): Totals => {
  const { costUsd, provenance } = added
  return {
    ...addRunFigures(sum, added),
    ...addTokens(sum, added),
    input: sum.input + added.input,
    output: sum.output + added.output,
    cacheRead: sum.cacheRead + added.cacheRead,
    cacheWrite: sum.cacheWrite + added.cacheWrite,
    costUsd: costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + costUsd,
    ...unpricedIn([...(sum.unpriced ?? []), ...(added.unpriced ?? [])]),
    provenance: {
      tokens: weaker(sum.provenance.tokens, provenance.tokens),
      cost: weakerOrNull(sum.provenance.cost, provenance.cost),
    },
  }
}

/** The field for models without a price, each named once; nothing if there are none. */
export const unpricedIn = (models: Iterable<string>): Pick<Totals, 'unpriced'> => {
  const unpriced = [...new Set(models)].sort()
  return unpriced.length > 0 ? { unpriced } : {}
}

/** From the most to the least reliable. A sum is as reliable as the weakest of its parts. */
const reliability: readonly Provenance[] = ['reported', 'computed', 'estimated']
const weaker = (left: Provenance, right: Provenance): Provenance =>
  reliability.indexOf(left) > reliability.indexOf(right) ? left : right
/** The less reliable of two provenances; null only if both are unknown. */
export const weakerOrNull = (
  left: Provenance | null,
  right: Provenance | null,
): Provenance | null => (left === null || right === null ? (left ?? right) : weaker(left, right))

/** The sign before an amount that no agent reported: `≈` is computed, `≥` is a lower bound. */
export const costSign = (provenance: Provenance | null): '' | '≈' | '≥' => {
  if (provenance === 'computed') return '≈'
  return provenance === 'estimated' ? '≥' : ''
}
