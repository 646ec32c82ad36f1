import { type FormEvent, useState } from 'react'
import { questionProblem } from '../../../src/events/answer-problem.ts'
import type { ApprovalAnswers, ApprovalQuestion } from '../../../src/events/index.ts'
import { ownValue } from '../../../src/shared/fields.ts'
import { Revealed } from '../parts/revealed.tsx'
import type { CardApproval } from './approval-card.tsx'
import { CancelButton } from './cancel-button.tsx'
import { QuestionField } from './question-field.tsx'
import type { SendAnswer } from './use-answer.ts'

interface Props {
  questions: readonly ApprovalQuestion[]
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

/** The questions that the agent wants answered before it continues. */
export const QuestionForm = ({ questions, approval, answer, isSending }: Props) => {
  const { dialog, options = [] } = approval
  const [chosen, setChosen] = useState<ApprovalAnswers>(() => prefilled(questions))
  const [hasTried, setTried] = useState(false)
  const answerTo = ({ question }: ApprovalQuestion) => ownValue(chosen, question) ?? []
  const isReady = questions.every(
    (question) => question.isOptional || answerTo(question).length > 0,
  )
  const problems = questions.map((question) => questionProblem(question, answerTo(question)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (problems.every((problem) => problem === undefined))
      answer({ action: 'allow', answers: chosen })
  }
  return (
    <form className="approval-form" onSubmit={submit} noValidate>
      {dialog?.message !== undefined && (
        <p className="approval-message">
          <Revealed text={dialog.message} isCollapsed />
        </p>
      )}
      {questions.map((question, index) => (
        <QuestionField
          key={question.question}
          question={question}
          chosen={answerTo(question)}
          problem={hasTried ? problems[index] : undefined}
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
        <CancelButton options={options} answer={answer} isSending={isSending} />
      </div>
    </form>
  )
}

const prefilled = (questions: readonly ApprovalQuestion[]): ApprovalAnswers =>
  Object.fromEntries(
    questions.flatMap(({ question, prefill }) => (prefill ? [[question, prefill]] : [])),
  )
