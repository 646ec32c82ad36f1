import type { SpendingSums } from '../events/types.ts'
import { allTokens, tokenKinds } from '../events/usage-sums.ts'

/** Adds sums to others, which change. */
export const addSums = (sums: SpendingSums, added: SpendingSums): void => {
  for (const kind of tokenKinds) sums[kind] += added[kind]
  sums.calls += added.calls
  if (added.costUsd !== null) sums.costUsd = (sums.costUsd ?? 0) + added.costUsd
  for (const basis of ['reported', 'computed', 'estimated'] as const)
    sums.costBy[basis] += added.costBy[basis]
  if (added.unpriced.length > 0)
    sums.unpriced = [...new Set([...sums.unpriced, ...added.unpriced])].sort()
}

/** Compares by cost, most expensive first; without a cost by tokens. */
export const byCost = (left: SpendingSums, right: SpendingSums): number =>
  (right.costUsd ?? 0) - (left.costUsd ?? 0) || allTokens(right) - allTokens(left)
