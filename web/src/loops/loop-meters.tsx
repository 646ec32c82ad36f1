import type { LoopInfo, Totals } from '../../../src/events/index.ts'
import { allTokens } from '../../../src/events/usage-sums.ts'
import { useNow } from '../parts/clock.ts'
import { formatCost, formatCount, formatDuration, formatTokens } from '../parts/format.ts'
import { Meter } from '../parts/meter.tsx'

/** How near a loop is to each of its limits. */
export const LoopMeters = ({ loop }: { loop: LoopInfo }) => {
  const { limits, iterationCount, usage, failures, stale } = loop
  const { maxIterations, maxDurationMs, maxCostUsd, maxTokens, maxFailures, maxStale } = limits
  const durationMs = useLoopDuration(loop)
  return (
    <div className="meters">
      <LimitMeter
        label="Iterations"
        spent={iterationCount}
        limit={maxIterations}
        format={formatCount}
      />
      <LimitMeter label="Time" spent={durationMs} limit={maxDurationMs} format={formatDuration} />
      <CostMeter usage={usage} limit={maxCostUsd} />
      <LimitMeter label="Tokens" spent={allTokens(usage)} limit={maxTokens} format={formatTokens} />
      {failures > 0 && (
        <LimitMeter label="Failures" spent={failures} limit={maxFailures} format={formatCount} />
      )}
      {stale > 1 && (
        <LimitMeter label="Same answer" spent={stale} limit={maxStale} format={formatCount} />
      )}
    </div>
  )
}

interface LimitProps {
  label: string
  spent: number
  /** Undefined if there is none. */
  limit: number | undefined
  format: (value: number) => string
}

/** A meter for one limit; nothing if the limit is not set. */
export const LimitMeter = ({ label, spent, limit, format }: LimitProps) =>
  limit !== undefined && (
    <Meter label={label} spent={format(spent)} limit={format(limit)} share={spent / limit} />
  )

interface CostProps {
  usage: Totals | undefined
  limit: number | undefined
}

/** A meter for a limit of money. A cost that is unknown is not shown as nothing. */
export const CostMeter = ({ usage, limit }: CostProps) => {
  if (limit === undefined) return null
  const spent = usage?.costUsd ?? 0
  const isUnknown = usage?.costUsd === null && (usage.unpriced?.length ?? 0) > 0
  return (
    <Meter
      label="Cost"
      spent={isUnknown ? 'Unknown' : formatCost(spent)}
      limit={formatCost(limit)}
      share={spent / limit}
    />
  )
}

/** How long the iterations took together, with the one that runs. */
export const useLoopDuration = ({ state, durationMs, iterations }: LoopInfo): number => {
  const now = useNow(1000)
  const last = iterations.at(-1)
  const isOpen = state === 'running' && last !== undefined && last.durationMs === undefined
  return durationMs + (isOpen ? Math.max(0, now - last.startedAt) : 0)
}
