import type { OverviewTotals } from '../../../src/api/index.ts'
import { formatCost, provenanceSign } from '../parts/format.ts'

/** Everything in a line. */
export const OverviewTotalsLine = ({ totals }: { totals: OverviewTotals }) => {
  const { sessions, running, approvals, usage } = totals
  return (
    <p className="totals">
      {approvals === 0 && <span>Nothing needs your input.</span>}
      <span>
        {sessions} {sessions === 1 ? 'session' : 'sessions'}, {running} running
      </span>
      {usage.costUsd !== null && (
        <span className="number">
          {provenanceSign(usage.provenance.cost)}
          {formatCost(usage.costUsd)}
        </span>
      )}
    </p>
  )
}
