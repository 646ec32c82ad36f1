import { useEffect, useRef, useState } from 'react'
import type { Budget, NewBudget, Project } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { LimitFields } from '../limits/limit-fields.tsx'
import { noLimits, readLimits, typedLimits } from '../limits/read-limits.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  /** The budget to change; undefined for a new one. */
  edited: Budget | undefined
  projects: readonly Project[]
  onDone: () => void
}

type Scope = NewBudget['scope']

const scopes: Record<Scope, string> = {
  day: 'Each day',
  project: 'All sessions of a project',
  session: 'Each session',
}

const isScope = (text: string): text is Scope => Object.hasOwn(scopes, text)

/** Sets a budget. It replaces the one with the same scope and project. */
export const SetBudgetForm = ({ edited, projects, onDone }: Props) => {
  const { client } = useApp()
  const [scope, setScope] = useState<Scope>(edited?.scope ?? 'day')
  const [projectId, setProjectId] = useState(edited?.projectId ?? '')
  const [limits, setLimits] = useState(() => typedLimits(edited?.limits))
  const [onExceeded, setOnExceeded] = useState<Budget['onExceeded']>(edited?.onExceeded ?? 'ask')
  const form = useRef<HTMLFormElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!edited) return
    // The form is below the list, often below the screen.
    form.current?.scrollIntoView({ block: 'nearest' })
    heading.current?.focus({ preventScroll: true })
  }, [edited])
  const { submit, isSaving, problem } = useSaving(async () => {
    await client.budgets.set({
      scope,
      ...(projectId !== '' && { projectId }),
      limits: readLimits(limits),
      onExceeded,
    })
    if (!edited) setLimits(noLimits)
    onDone()
  })
  return (
    <form ref={form} className="budget-form" onSubmit={submit}>
      <h2 ref={heading} tabIndex={-1}>
        {edited ? 'Change the budget' : 'Set a budget'}
      </h2>
      <div className="limit-fields">
        <label>
          Counts
          <select
            value={scope}
            disabled={edited !== undefined}
            onChange={({ target }) => isScope(target.value) && setScope(target.value)}
          >
            {Object.entries(scopes).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Project
          <select
            value={projectId}
            disabled={edited !== undefined}
            onChange={({ target }) => setProjectId(target.value)}
          >
            <option value="">{scope === 'project' ? 'Choose a project' : 'All projects'}</option>
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          When it is reached
          <select
            value={onExceeded}
            onChange={({ target }) => setOnExceeded(target.value === 'stop' ? 'stop' : 'ask')}
          >
            <option value="ask">Pause and ask</option>
            <option value="stop">Stop the run</option>
          </select>
        </label>
      </div>
      <LimitFields limits={limits} onChange={setLimits} />
      <ProblemMessage reason={problem} />
      <div className="budget-buttons">
        <button type="submit" className="primary" disabled={isSaving}>
          {edited ? 'Save' : 'Set budget'}
        </button>
        {edited && (
          <button type="button" onClick={onDone}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}
