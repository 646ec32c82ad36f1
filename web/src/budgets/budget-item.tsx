import type { Budget } from '../../../src/api/index.ts'
import type { BudgetUse } from '../../../src/events/index.ts'
import { Meter } from '../parts/meter.tsx'
import { budgetTitle, formatMeasure, formatMeasured, measureNames } from './describe-budget.ts'

interface Props {
  budget: Budget
  projectName: string | undefined
  /** Absent where the user may not change budgets. */
  onEdit?: () => void
  onRemove?: () => void
}

/** One budget: what it counts, its limits, and how much of them is used. */
export const BudgetItem = ({ budget, projectName, onEdit, onRemove }: Props) => {
  const { scope, uses, limits, onExceeded, isFixed, by } = budget
  const title = budgetTitle(scope, projectName)
  return (
    <li className="budget">
      <h2>{title}</h2>
      {uses ? (
        <div className="meters">
          {uses.map(({ measure, spent, limit }) => (
            <Meter
              key={measure}
              label={measureNames[measure]}
              spent={formatMeasured(measure, spent)}
              limit={formatMeasured(measure, limit)}
              share={spent / limit}
            />
          ))}
        </div>
      ) : (
        <p className="number">{limitsText(limits)}</p>
      )}
      <p className="budget-note">
        {onExceeded === 'stop' ? 'Stops the run when it is reached.' : 'Asks when it is reached.'}
        {by !== undefined && ` Set by ${by}.`}
        {isFixed && ' Set by an option of sluice serve.'}
      </p>
      {!isFixed && onEdit && (
        <div className="budget-buttons">
          <button type="button" aria-label={`Change the budget: ${title}`} onClick={onEdit}>
            Change…
          </button>
          <button type="button" aria-label={`Remove the budget: ${title}`} onClick={onRemove}>
            Remove
          </button>
        </div>
      )}
    </li>
  )
}

const measures: readonly BudgetUse['measure'][] = ['costUsd', 'tokens', 'durationMs']

const limitsText = (limits: Budget['limits']): string =>
  measures
    .flatMap((measure) => {
      const limit = limits[measure]
      return limit === undefined ? [] : [formatMeasure(measure, limit)]
    })
    .join(', ')
