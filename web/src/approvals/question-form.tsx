import { type FormEvent, useState } from 'react'
import { fieldsOf } from '../../../src/shared/fields.ts'
import { QuestionField } from './question-field.tsx'
import type { Question } from './questions.ts'
import type { SendAnswer } from './use-answer.ts'

interface Props {
  args: unknown
  questions: readonly Question[]
  answer: SendAnswer
  isSending: boolean
}

/** The questions that the agent wants answered before it continues. */
export const QuestionForm = ({ args, questions, answer, isSending }: Props) => {
  const [chosen, setChosen] = useState<ReadonlyMap<string, readonly string[]>>(new Map())
  const isReady = questions.every(({ text }) => (chosen.get(text) ?? []).length > 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const answers = Object.fromEntries(
      [...chosen].map(([text, labels]) => [text, labels.join(', ')]),
    )
    answer({ action: 'allow', updatedInput: { ...fieldsOf(args), answers } })
  }
  return (
    <form className="approval-form" onSubmit={submit}>
      {questions.map((question) => (
        <QuestionField
          key={question.text}
          question={question}
          chosen={chosen.get(question.text) ?? []}
          onChoose={(labels) => setChosen(new Map(chosen).set(question.text, labels))}
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
