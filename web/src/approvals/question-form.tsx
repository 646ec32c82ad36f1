import { type FormEvent, useState } from 'react'
import type { ApprovalAnswers, ApprovalQuestion } from '../../../src/events/index.ts'
import { ownValue } from '../../../src/shared/fields.ts'
import { QuestionField } from './question-field.tsx'
import type { SendAnswer } from './use-answer.ts'

interface Props {
  questions: readonly ApprovalQuestion[]
  answer: SendAnswer
  isSending: boolean
}

/** The questions that the agent wants answered before it continues. */
export const QuestionForm = ({ questions, answer, isSending }: Props) => {
  const [chosen, setChosen] = useState<ApprovalAnswers>({})
  const isReady = questions.every(({ question }) => (ownValue(chosen, question) ?? []).length > 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    answer({ action: 'allow', answers: chosen })
  }
  return (
    <form className="approval-form" onSubmit={submit}>
      {questions.map((question) => (
        <QuestionField
          key={question.question}
          question={question}
          chosen={ownValue(chosen, question.question) ?? []}
          onChoose={(labels) => setChosen({ ...chosen, [question.question]: labels })}
        />
      ))}
      <div className="approval-buttons">
        <button type="submit" className="primary" disabled={isSending || !isReady}>
          Answer
        </button>
        <button
          type="button"
          disabled={isSending}
          onClick={() => answer({ action: 'deny', message: 'The user declined to answer.' })}
        >
          Decline to answer
        </button>
      </div>
    </form>
  )
}
