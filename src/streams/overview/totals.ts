import { emptyTotals } from '../../events/sum.ts'
import type { Provenance, Totals } from '../../events/types.ts'

/** Accounts of several sessions as one. */
export const sumOf = (all: readonly Totals[]): Totals => all.reduce(added, emptyTotals())

const added = (sum: Totals, { costUsd, provenance, ...tokens }: Totals): Totals => ({
  ...sum,
  input: sum.input + tokens.input,
  output: sum.output + tokens.output,
  cacheRead: sum.cacheRead + tokens.cacheRead,
  cacheWrite: sum.cacheWrite + tokens.cacheWrite,
  ...(tokens.reasoning !== undefined && { reasoning: (sum.reasoning ?? 0) + tokens.reasoning }),
  costUsd: costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + costUsd,
  provenance: {
    tokens: weaker(sum.provenance.tokens, provenance.tokens),
    cost: weakerOf(sum.provenance.cost, provenance.cost),
  },
})

/** A sum is as good as the worst of its parts. */
const order: readonly Provenance[] = ['reported', 'computed', 'estimated']
const weaker = (left: Provenance, right: Provenance): Provenance =>
  order.indexOf(left) > order.indexOf(right) ? left : right
const weakerOf = (left: Provenance | null, right: Provenance | null): Provenance | null =>
  left === null || right === null ? (left ?? right) : weaker(left, right)
