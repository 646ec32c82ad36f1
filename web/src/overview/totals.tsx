import type { OverviewTotals } from '../../../src/api/index.ts'
import { formatCost, provenanceSign } from '../parts/format.ts'

/** Everything in a line. */
export const Totals = ({ totals }: { totals: OverviewTotals }) => {
  const { sessions, running, approvals, usage } = totals
  return (
    <p className="totals">
      {approvals === 0 && <span>Nothing needs you.</span>}
      <span>
        {running === 0 ? 'None' : running} of {sessions} working
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
