import { budgetOwner, budgetText } from '../budgets/describe-budget.ts'
import { useStore } from '../lib/use-store.ts'
import { useSession } from './session-scope.ts'

/** Names the limits of this session that are nearly used, or used up without a request about it. */
export const BudgetBanner = () => {
  const transcript = useStore(useSession().transcript)
  const requested = transcript?.approvals.flatMap(({ budget }) => budget ?? []) ?? []
  const shown = transcript?.budgets.filter(
    ({ budgetId, measure }) =>
      !requested.some((each) => each.budgetId === budgetId && each.measure === measure),
  )
  if (!shown || shown.length === 0) return null
  return (
    <p className="budget-banner" role="status">
      {shown.map((budget) => (
        <span key={`${budget.budgetId} ${budget.measure}`}>
          <strong>{budget.spent < budget.limit ? 'Budget nearly used.' : 'Budget used up.'}</strong>{' '}
          {budgetText(budget)} for {budgetOwner(budget)}.{' '}
        </span>
      ))}
    </p>
  )
}
