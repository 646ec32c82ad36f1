import type { CostReport, CostRow } from '../../../src/api/index.ts'
import { formatCost, formatTime, formatTokens } from '../parts/format.ts'
import { CostTable } from './cost-table.tsx'
import { spendingLabel } from './spending.ts'
import { useCost } from './use-cost.ts'

/** How many blocks are shown. */
const shownBlocks = 6

/** The last blocks of five hours, as subscriptions count them, and the pace of the running one. */
export const CostBlocks = () => {
  const { value } = useCost('block', '7')
  if (!value || value.rows.length === 0) return null
  const rows = value.rows.slice(-shownBlocks).toReversed()
  const running = rows.find(({ pace }) => pace !== undefined)
  return (
    <section className="cost-section" aria-label="Five-hour blocks">
      <h2>Five-hour blocks</h2>
      {running && <Pace row={running} />}
      <CostTable
        head="Start"
        rows={rows.map((row) => ({ key: row.key, label: labelOf(row, value), sums: row.sums }))}
      />
    </section>
  )
}

const labelOf = (row: CostRow, report: CostReport): string =>
  spendingLabel(row, report) + (row.pace === undefined ? '' : ' (running)')

const Pace = ({ row: { pace, end } }: { row: CostRow }) => {
  if (!pace) return null
  const { usdPerHour, tokensPerMinute, projectedUsd, projectedTokens } = pace
  return (
    <p className="cost-note">
      At the present pace of {usdPerHour !== null && `${formatCost(usdPerHour)} per hour, or `}
      {formatTokens(Math.round(tokensPerMinute))} tokens per minute, the running block ends
      {end !== undefined && ` at ${formatTime(end, Date.now())}`} with{' '}
      {projectedUsd !== null && `${formatCost(projectedUsd)} and `}
      {formatTokens(Math.round(projectedTokens))} tokens.
    </p>
  )
}
