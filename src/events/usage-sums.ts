import type { TokenCounts, Totals, Usage } from './types.ts'

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
