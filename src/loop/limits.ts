import type { LoopEndReason, LoopInfo, LoopLimits, Totals } from '../events/types.ts'
import { addTotals, allTokens } from '../events/usage-sums.ts'

/** What a loop has done, whatever its agent starts with. */
export type LoopProgress = Omit<LoopInfo, 'start'>

/** The limits of a loop that sets none of its own. */
export const defaultLimits: LoopLimits = { maxIterations: 100, maxFailures: 5, maxStale: 3 }

/** The default promise. */
export const defaultPromise = 'LOOP_COMPLETE'

/** A limit that is met. */
export interface MetLimit {
  reason: LoopEndReason
  message: string
}

/** What the iteration that is going on has used so far. */
export interface Running {
  usage?: Totals | undefined
  durationMs: number
}

/** The limit that ends a loop now, also during an iteration; undefined while none is met. */
export const spentLimit = (loop: LoopProgress, running?: Running): MetLimit | undefined => {
  const { maxDurationMs, maxCostUsd, maxTokens } = loop.limits
  const usage = running?.usage ? addTotals(loop.usage, running.usage) : loop.usage
  const durationMs = loop.durationMs + (running?.durationMs ?? 0)
  if (maxCostUsd !== undefined && (usage.costUsd ?? 0) >= maxCostUsd)
    return met('max_cost', `The iterations have cost $${maxCostUsd} or more.`)
  if (maxTokens !== undefined && allTokens(usage) >= maxTokens)
    return met('max_tokens', `The iterations have used ${maxTokens} tokens or more.`)
  if (maxDurationMs !== undefined && durationMs >= maxDurationMs)
    return met('max_duration', 'The iterations have taken as long as they may.')
  return undefined
}

/** The limit that ends a loop before its next iteration; undefined if there may be one. */
export const metLimit = (loop: LoopProgress): MetLimit | undefined => {
  const { maxIterations, maxFailures, maxStale } = loop.limits
  const last = loop.iterations.at(-1)
  if (maxFailures !== undefined && loop.failures >= maxFailures)
    return met('max_failures', `${times(maxFailures)} in a row failed. ${last?.message ?? ''}`)
  if (maxStale !== undefined && loop.stale >= maxStale)
    return met('max_stale', `${times(maxStale)} in a row ended with the same text.`)
  const spent = spentLimit(loop)
  if (spent) return spent
  if (maxIterations !== undefined && loop.iterationCount >= maxIterations)
    return met('max_iterations', `${times(maxIterations)} ran without the promise.`)
  return undefined
}

const met = (reason: LoopEndReason, message: string): MetLimit => ({
  reason,
  message: message.trim(),
})

const times = (count: number): string => (count === 1 ? '1 iteration' : `${count} iterations`)
