import { addTokens, type TokenKind, type Tokens, tokenKinds } from '../events/usage-sums.ts'

/** What a counter grew by. One that shrank was reset, and shows what came since. */
export const increase = (now: Tokens, before: Tokens): Tokens => {
  const grown: Tokens = {}
  for (const kind of tokenKinds) {
    const value = now[kind]
    if (value === undefined) continue
    const base = before[kind] ?? 0
    grown[kind] = value < base ? value : value - base
  }
  return grown
}

/** What a report counted and the messages did not show. */
export const shortfall = (reported: Tokens, seen: Tokens): Tokens =>
  byKind((kind) => (reported[kind] ?? 0) - (seen[kind] ?? 0))

export const minimum = (left: Tokens, right: Tokens): Tokens =>
  byKind((kind) => Math.min(left[kind] ?? 0, right[kind] ?? 0))

export const sumTokens = (amounts: Iterable<Tokens>): Tokens => {
  let all: Tokens = {}
  for (const tokens of amounts) all = addTokens(all, tokens)
  return all
}

/** The kinds of which there is more than nothing. */
const byKind = (amountOf: (kind: TokenKind) => number): Tokens => {
  const tokens: Tokens = {}
  for (const kind of tokenKinds) if (amountOf(kind) > 0) tokens[kind] = amountOf(kind)
  return tokens
}
