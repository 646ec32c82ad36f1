import type { ContextGauge } from '../events/types.ts'
import type { RunResult } from './stream-handler.ts'

/** The line that ends a run: Duration · Cost · Turns · Context. */
export const summaryLine = (result: RunResult): string =>
  [
    `Duration ${duration(result.durationMs)}`,
    `Cost ${money(result.costUsd)}`,
    `Turns ${result.turns}`,
    `Context ${gauge(result.context)}`,
  ].join(' · ')

const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** Unknown is not zero. */
const money = (usd: number | null): string => {
  if (usd === null) return 'unknown'
  return `$${usd.toFixed(usd !== 0 && usd < 1 ? 4 : 2)}`
}

const gauge = (context: ContextGauge | null): string => {
  if (!context) return 'unknown'
  if (context.window === null) return `${thousands(context.used)} tokens`
  return `${thousands(context.used)} of ${thousands(context.window)} (${context.percent} %)`
}

const thousands = (count: number): string => {
  if (count < 1000) return String(count)
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}
