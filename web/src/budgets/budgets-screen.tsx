import { useEffect, useState } from 'react'
import type { Budget } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { useNow } from '../parts/clock.ts'
import { MoneyHeader } from '../parts/money-header.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { BudgetItem } from './budget-item.tsx'
import { SetBudgetForm } from './set-budget-form.tsx'
import '../style/overview.css'
import '../style/budgets.css'

/** The amounts are loaded again after this time. */
const freshMs = 20_000

/** Budgets that hold for several sessions: how much is used, and a form to set them. */
export const BudgetsScreen = () => {
  const { client, projects, toasts } = useApp()
  const { value: projectList = [] } = useStore(projects)
  const [resource] = useState(() => createResource(() => client.budgets.list()))
  const { value, error } = useStore(resource)
  const [edited, setEdited] = useState<Budget>()
  const mayChange = useMay('admin')
  const now = useNow(freshMs)
  useEffect(() => projects.load(), [projects])
  // biome-ignore lint/correctness/useExhaustiveDependencies: agents spend more as time goes by.
  useEffect(() => resource.load(), [resource, now])
  const nameOf = (id: string | undefined) => projectList.find((each) => each.id === id)?.name ?? id
  const remove = (budget: Budget) => {
    client.budgets
      .remove(budget.id)
      .then(() => resource.load(), toasts.showError('Could not remove the budget'))
  }
  const budgets = value ?? []
  return (
    <div className="overview">
      <MoneyHeader current="/budgets" />
      <main className="budgets">
        <p className="budget-note">
          At 80% of a limit you get a warning. When a limit is reached, agents are paused before
          their next model call, and a request asks whether to raise it.
        </p>
        <ProblemMessage title="Could not load the budgets" reason={error} />
        {value && budgets.length === 0 && <p className="budget-note">No budgets are set.</p>}
        {budgets.length > 0 && (
          <ul className="budget-list">
            {budgets.map((budget) => (
              <BudgetItem
                key={budget.id}
                budget={budget}
                projectName={nameOf(budget.projectId)}
                {...(mayChange && {
                  onEdit: () => setEdited(budget),
                  onRemove: () => remove(budget),
                })}
              />
            ))}
          </ul>
        )}
        {mayChange && (
          <SetBudgetForm
            key={edited?.id ?? ''}
            edited={edited}
            projects={projectList}
            onDone={() => {
              setEdited(undefined)
              resource.load()
            }}
          />
        )}
      </main>
    </div>
  )
}
