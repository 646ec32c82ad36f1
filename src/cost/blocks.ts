import type { CostPace, CostRow } from '../api/types.ts'
import { allTokens } from '../events/usage-sums.ts'
import { spendingStepMs } from '../log/spending.ts'
import type { Period } from './calendar.ts'

/** How long a block lasts: the window in which Claude’s subscriptions count usage. */
const blockMs = 5 * 3_600_000
const hourMs = 3_600_000

/**
 * Returns a function that finds the block of a time. It must be called with times in ascending order:
 * a time after the end of a block begins the next one, at its full hour.
 */
export const createBlockFinder = (): ((time: number) => Period) => {
  let block: Period | undefined
  return (time) => {
    if (!block || time >= block.end) {
      const start = Math.floor(time / hourMs) * hourMs
      block = { key: new Date(start).toISOString(), start, end: start + blockMs }
    }
    return block
  }
}

/** How fast a block is spending; undefined if it is over, or has not begun. */
export const paceOf = (
  { start = 0, end = 0, firstUse, sums }: Pick<CostRow, 'start' | 'end' | 'firstUse' | 'sums'>,
  now: number,
): CostPace | undefined => {
  if (now < start || now >= end) return undefined
  // Usage is stored in steps of 15 minutes, so nothing shorter is known.
  const elapsedMs = Math.max(now - firstUse, spendingStepMs)
  const rest = (end - now) / elapsedMs
  const tokens = allTokens(sums)
  const { costUsd } = sums
  return {
    usdPerHour: costUsd === null ? null : (costUsd * hourMs) / elapsedMs,
    tokensPerMinute: (tokens * 60_000) / elapsedMs,
    projectedUsd: costUsd === null ? null : costUsd * (1 + rest),
    projectedTokens: tokens * (1 + rest),
  }
}
