import type { TokenCounts } from '../events/types.ts'
import { addTokens, type TokenKind, tokenKinds } from '../events/usage-sums.ts'

/** By how much counters grew. A counter that shrank was reset, so all of it is new. */
export const increase = (now: TokenCounts, before: TokenCounts): TokenCounts => {
  const grown: TokenCounts = {}
  for (const kind of tokenKinds) {
    const value = now[kind]
    if (value === undefined) continue
    const base = before[kind] ?? 0
    grown[kind] = value < base ? value : value - base
  }
  return grown
}

/** The reported tokens that were not seen. */
export const shortfall = (reported: TokenCounts, seen: TokenCounts): TokenCounts =>
  positiveCounts((kind) => (reported[kind] ?? 0) - (seen[kind] ?? 0))

/** The smaller count of each kind. */
export const minimum = (left: TokenCounts, right: TokenCounts): TokenCounts =>
  positiveCounts((kind) => Math.min(left[kind] ?? 0, right[kind] ?? 0))

/** The sum of several counts. */
export const sumTokens = (counts: Iterable<TokenCounts>): TokenCounts => {
  let sum: TokenCounts = {}
  for (const tokens of counts) sum = addTokens(sum, tokens)
  return sum
}

const positiveCounts = (countOf: (kind: TokenKind) => number): TokenCounts => {
  const tokens: TokenCounts = {}
  for (const kind of tokenKinds) if (countOf(kind) > 0) tokens[kind] = countOf(kind)
  return tokens
}
