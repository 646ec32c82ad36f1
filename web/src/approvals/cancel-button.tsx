import type { DecisionOption } from '../../../src/events/types.ts'
import type { SendAnswer } from './use-answer.ts'

interface Props {
  options: readonly DecisionOption[]
  answer: SendAnswer
  isSending: boolean
}

/** Leaves a question without a decision, where the agent distinguishes that from a refusal. */
export const CancelButton = ({ options, answer, isSending }: Props) => {
  const cancel = options.find(({ kind }) => kind === 'stop')
  if (!cancel) return null
  return (
    <button
      type="button"
      disabled={isSending}
      onClick={() => answer({ action: 'deny', optionId: cancel.id })}
    >
      {cancel.label}
    </button>
  )
}
