import { type FormEvent, useId, useState } from 'react'
import type { BudgetUse } from '../../../src/events/index.ts'
import {
  budgetOwner,
  formatMeasure,
  formatMeasured,
  measureNames,
} from '../budgets/describe-budget.ts'
import { durationText, readAmount, readDuration, readTokens } from '../limits/read-limits.ts'
import { Meter } from '../parts/meter.tsx'
import type { SendAnswer } from './use-answer.ts'
import '../style/limits.css'

interface Props {
  budget: BudgetUse
  answer: SendAnswer
  isSending: boolean
}

/** Decides on a budget that is used up: raise it by an amount, or stop the run. */
export const BudgetForm = ({ budget, answer, isSending }: Props) => {
  const { measure, spent, limit } = budget
  const { label, read, typed } = units[measure]
  const [text, setText] = useState(() => typed(enoughRaise(budget)))
  const [isStopping, setStopping] = useState(false)
  const hintId = useId()
  const raise = read(text)
  const isEnough = raise !== undefined && limit + raise > spent
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (raise !== undefined && isEnough) answer({ action: 'allow', raise })
  }
  return (
    <form className="approval-form" onSubmit={submit}>
      <p>
        The limit for {budgetOwner(budget)} is used up. The agent is paused and calls no model until
        you decide.
      </p>
      <Meter
        label={measureNames[measure]}
        spent={formatMeasured(measure, spent)}
        limit={formatMeasured(measure, limit)}
        share={spent / limit}
      />
      <label className="raise-field">
        {label}
        <input
          value={text}
          onChange={(event) => setText(event.target.value)}
          inputMode={measure === 'costUsd' ? 'decimal' : 'text'}
          aria-describedby={hintId}
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
        />
      </label>
      <p id={hintId} className="optional">
        {raise === undefined && 'Type an amount above 0.'}
        {raise !== undefined && !isEnough && 'This is less than what is already used.'}
        {raise !== undefined &&
          isEnough &&
          `The new limit is ${formatMeasure(measure, limit + raise)}.`}
      </p>
      <div className="approval-buttons">
        <button type="submit" className="primary" disabled={isSending || !isEnough}>
          {isEnough ? `Raise by ${formatMeasure(measure, raise)}` : 'Raise'}
        </button>
        {isStopping ? (
          <>
            <button type="button" disabled={isSending} onClick={() => answer({ action: 'deny' })}>
              Yes, stop the run
            </button>
            <button
              type="button"
              // Not on “Yes”: a second Enter must not stop the run.
              // biome-ignore lint/a11y/noAutofocus: the button that had the focus is gone
              autoFocus
              onClick={() => setStopping(false)}
            >
              Back
            </button>
          </>
        ) : (
          <button type="button" disabled={isSending} onClick={() => setStopping(true)}>
            Stop the run…
          </button>
        )}
      </div>
    </form>
  )
}

/** A raise by the limit itself, or by as many times the limit as are needed to go on. */
const enoughRaise = ({ spent, limit }: BudgetUse): number =>
  limit * Math.max(1, Math.floor(spent / limit))

interface Unit {
  readonly label: string
  readonly read: (text: string) => number | undefined
  /** The amount as it is typed. */
  readonly typed: (value: number) => string
}

const units: Record<BudgetUse['measure'], Unit> = {
  costUsd: {
    label: 'Raise by, in US dollars',
    read: readAmount,
    typed: (value) => String(Number(value.toFixed(4))),
  },
  tokens: { label: 'Raise by, in tokens', read: readTokens, typed: String },
  durationMs: {
    label: 'Raise by, such as 30m',
    read: readDuration,
    typed: (value) => durationText(Math.max(1000, value)),
  },
}
