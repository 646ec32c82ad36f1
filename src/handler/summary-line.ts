import type { ContextGauge } from '../events/types.ts'
import { costSign } from '../events/usage-sums.ts'
import type { RunResult } from './stream-handler.ts'

/** The summary of a run in one line: Duration · Cost · Turns · Context. */
export const summaryLine = (result: RunResult): string =>
  [
    `Duration ${textOfDuration(result.durationMs)}`,
    `Cost ${costOfRun(result)}`,
    `Turns ${result.turns}`,
    `Context ${formatContext(result.context)}`,
  ].join(' · ')

/** An amount that no agent reported has a sign, and models without a price are named. */
const costOfRun = ({ costUsd, usage }: RunResult): string => {
  const sign = costUsd === null ? '' : costSign(usage?.provenance.cost ?? null)
  return `${sign}${sign && ' '}${textOfCost(costUsd)}${unpricedText(usage?.unpriced)}`
}

/** The ledger calls a model `unknown` that the agent did not name. */
const unpricedText = (models: readonly string[] | undefined): string => {
  if (!models) return ''
  const named = models.filter((model) => model !== 'unknown')
  if (named.length === 0) return ' (the agent did not name its model)'
  return ` (no price for ${named.join(', ')})`
}

/** A duration for people: `1.5 s`, `2 min 5 s`. */
export const textOfDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** An amount in US dollars for people; `unknown` without one. */
export const textOfCost = (usd: number | null): string => {
  if (usd === null) return 'unknown'
  return `$${usd.toFixed(usd !== 0 && usd < 1 ? 4 : 2)}`
}

const formatContext = (context: ContextGauge | null): string => {
  if (!context) return 'unknown'
  if (context.window === null) return `${textOfCount(context.used)} tokens`
  return `${textOfCount(context.used)} of ${textOfCount(context.window)} (${context.percent} %)`
}

/** A number of tokens for people: `5.5k`. */
export const textOfCount = (count: number): string => {
  if (count < 1000) return String(count)
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}
