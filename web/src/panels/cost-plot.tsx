import { useEffect, useRef } from 'react'
import type { TurnUsage } from '../../../src/api/index.ts'
import { allTokens } from '../../../src/events/usage-sums.ts'
import { formatCost, formatTokens } from '../parts/format.ts'

/** The cost of each run as bars; its tokens if nothing cost money; nothing if all are 0. */
export const CostPlot = ({ turns }: { turns: readonly TurnUsage[] }) => {
  const container = useRef<HTMLDivElement>(null)
  const hasCost = turns.some(({ totals }) => totals.costUsd)
  useEffect(() => {
    const target = container.current
    if (!target) return
    let remove = () => {}
    let isUnmounted = false
    ensureValidLanguage(navigator)
    import('./draw-bars.ts').then(
      ({ drawBars }) => {
        if (isUnmounted) return
        const format = hasCost ? formatCost : formatTokens
        remove = drawBars(target, turns.map(heightOf(hasCost)), format)
      },
      () => {}, // Offline: the table has the numbers.
    )
    return () => {
      isUnmounted = true
      remove()
    }
  }, [turns, hasCost])
  if (!turns.some(heightOf(hasCost))) return null
  const unit = hasCost ? 'Cost' : 'Tokens'
  return (
    <section>
      <h3>{unit} per run</h3>
      <div
        ref={container}
        className="plot"
        role="img"
        aria-label={`${unit} per run, ${turns.length} in total`}
      />
    </section>
  )
}

/**
 * Replaces an invalid browser language, such as `en-US@posix` on a machine without a locale: uPlot
 * passes it to `Intl` while it loads, and would throw.
 */
const ensureValidLanguage = (navigator: Navigator): void => {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}

const heightOf =
  (hasCost: boolean) =>
  ({ totals }: TurnUsage): number =>
    hasCost ? (totals.costUsd ?? 0) : allTokens(totals)
