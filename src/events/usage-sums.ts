import type { Provenance, TokenCounts, Totals, Usage } from './types.ts'

/** The kinds of tokens that are counted. */
export const tokenKinds = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
export type TokenKind = (typeof tokenKinds)[number]

/** Adds token counts by kind. A kind that both sides lack stays absent. */
export const addTokens = (left: TokenCounts, right: TokenCounts): TokenCounts => {
  const sum: TokenCounts = { ...left }
  for (const kind of tokenKinds) {
    const added = right[kind]
    if (added !== undefined) sum[kind] = (sum[kind] ?? 0) + added
  }
  return sum
}

/** The tokens in the context window after a model call: all of its input, cached or not. */
export const contextTokens = (usage: Usage): number =>
  (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)

/** The totals of no calls. */
export const emptyTotals = (): Totals => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  costUsd: null,
  provenance: { tokens: 'reported', cost: null },
})

/** Adds totals. A sum is as reliable as the weakest of its parts. */
export const addTotals = (sum: Totals, { costUsd, provenance, ...tokens }: Totals): Totals => ({
  ...sum,
  input: sum.input + tokens.input,
  output: sum.output + tokens.output,
  cacheRead: sum.cacheRead + tokens.cacheRead,
  cacheWrite: sum.cacheWrite + tokens.cacheWrite,
  ...(tokens.reasoning !== undefined && { reasoning: (sum.reasoning ?? 0) + tokens.reasoning }),
  costUsd: costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + costUsd,
  provenance: {
    tokens: weaker(sum.provenance.tokens, provenance.tokens),
    cost: weakerOrNull(sum.provenance.cost, provenance.cost),
  },
})

/** From the most to the least reliable. A sum is as reliable as the weakest of its parts. */
const reliability: readonly Provenance[] = ['reported', 'computed', 'estimated']
const weaker = (left: Provenance, right: Provenance): Provenance =>
  reliability.indexOf(left) > reliability.indexOf(right) ? left : right
const weakerOrNull = (left: Provenance | null, right: Provenance | null): Provenance | null =>
  left === null || right === null ? (left ?? right) : weaker(left, right)
