import { useEffect, useRef } from 'react'
import type { TurnUsage } from '../../../src/api/index.ts'
import { formatCost, formatTokens } from '../parts/format.ts'
import { mendLanguage } from './mend-language.ts'

/** What each run cost, as bars; where it cost no money, its tokens; nothing when all is 0. */
export const CostPlot = ({ turns }: { turns: readonly TurnUsage[] }) => {
  const place = useRef<HTMLDivElement>(null)
  const isMoney = turns.some(({ totals }) => totals.costUsd)
  useEffect(() => {
    const target = place.current
    if (!target) return
    let undo = () => {}
    let isGone = false
    mendLanguage(navigator)
    import('./draw-bars.ts').then(
      ({ drawBars }) => {
        if (isGone) return
        const format = isMoney ? formatCost : formatTokens
        undo = drawBars(target, turns.map(heightOf(isMoney)), format)
      },
      () => {}, // Off-line: the numbers are in the table.
    )
    return () => {
      isGone = true
      undo()
    }
  }, [turns, isMoney])
  if (!turns.some(heightOf(isMoney))) return null
  const what = isMoney ? 'Cost' : 'Tokens'
  return (
    <section>
      <h3>{what} per run</h3>
      <div
        ref={place}
        className="plot"
        role="img"
        aria-label={`${what} per run, ${turns.length} in total`}
      />
    </section>
  )
}

const heightOf =
  (isMoney: boolean) =>
  ({ totals }: TurnUsage): number =>
    isMoney
      ? (totals.costUsd ?? 0)
      : totals.input + totals.output + totals.cacheRead + totals.cacheWrite
