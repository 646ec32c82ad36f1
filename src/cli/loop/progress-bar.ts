import type { LoopInfo } from '../../events/types.ts'
import { addTotals, allTokens } from '../../events/usage-sums.ts'
import { textOfCost, textOfCount } from '../../handler/summary-line.ts'

/** How near a loop is to one of its limits. */
interface Share {
  text: string
  part: number
}

/** The progress of a loop against its limits, in one line that fits the width. */
export const progressLine = (loop: LoopInfo, width: number, now: number): string => {
  const shares = sharesOf(loop, now)
  const part = Math.min(1, Math.max(0, ...shares.map((share) => share.part)))
  const barWidth = width < 60 ? 8 : 16
  const filled = Math.round(part * barWidth)
  let line = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}]`
  for (const { text } of shares) {
    const next = `${line} ${text}`
    if (next.length >= width) break
    line = next
  }
  return line
}

const sharesOf = (loop: LoopInfo, now: number): Share[] => {
  const { limits, iterations, iterationCount, state } = loop
  const last = iterations.at(-1)
  const running = state === 'running' && last?.outcome === undefined ? last : undefined
  const usage = running?.usage ? addTotals(loop.usage, running.usage) : loop.usage
  const durationMs = loop.durationMs + (running ? Math.max(0, now - running.startedAt) : 0)
  return [
    share(iterationCount, limits.maxIterations, String),
    share(usage.costUsd ?? 0, limits.maxCostUsd, textOfCost),
    share(allTokens(usage), limits.maxTokens, (value) => `${textOfCount(value)} tok`),
    share(durationMs, limits.maxDurationMs, shortTime),
  ]
}

/** A time in one or two units: `45s`, `12m`, `1h5m`. */
const shortTime = (ms: number): string => {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  return `${Math.floor(minutes / 60)}h${minutes % 60 === 0 ? '' : `${minutes % 60}m`}`
}

const share = (
  value: number,
  limit: number | undefined,
  format: (value: number) => string,
): Share =>
  limit === undefined
    ? { text: format(value), part: 0 }
    : { text: `${format(value)}/${format(limit)}`, part: value / limit }
