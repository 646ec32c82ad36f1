import type { Totals, Usage } from './types.ts'

/** The kinds of tokens that are counted. */
export const tokenKinds = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
export type TokenKind = (typeof tokenKinds)[number]
export type Tokens = { [Kind in TokenKind]?: number | undefined }

/** Adds tokens kind by kind; a kind that neither side knows stays absent. */
export const addTokens = (left: Tokens, right: Tokens): Tokens => {
  const sum: Tokens = { ...left }
  for (const kind of tokenKinds) {
    const added = right[kind]
    if (added !== undefined) sum[kind] = (sum[kind] ?? 0) + added
  }
  return sum
}

/** What fills the context window after a call: all of its input, cached or not. */
export const contextTokens = (usage: Usage): number =>
  (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)

/** Totals of a session in which nothing was counted yet. */
export const emptyTotals = (): Totals => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  costUsd: null,
  provenance: { tokens: 'reported', cost: null },
})
