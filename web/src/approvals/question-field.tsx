import { useId, useState } from 'react'
import { answerHint } from '../../../src/events/answer-problem.ts'
import type { ApprovalQuestion } from '../../../src/events/index.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Revealed } from '../parts/revealed.tsx'

interface Props {
  question: ApprovalQuestion
  chosen: readonly string[]
  /** Why the answer cannot be sent. */
  problem: string | undefined
  onChoose: (labels: string[]) => void
}

/** One question: choose one or more of its answers, or type another. */
export const QuestionField = ({ question, chosen, problem, onChoose }: Props) => {
  const { question: text, header, options, multiSelect: isMany = false, onlyOptions } = question
  const [ownAnswer, setOwnAnswer] = useState(() => ownAnswerIn(question))
  const name = useId()
  const chosenOptions = chosen.filter((label) => options.some((option) => option.label === label))
  const choose = (label: string, isOn: boolean) => {
    if (!isMany) {
      setOwnAnswer('')
      return onChoose([label])
    }
    onChoose(isOn ? [...chosen, label] : chosen.filter((each) => each !== label))
  }
  const typeAnswer = (text: string) => {
    setOwnAnswer(text)
    const others = isMany ? chosenOptions : []
    onChoose(text.trim() === '' ? others : [...others, text.trim()])
  }
  return (
    <fieldset className="question">
      <legend>
        {header !== undefined && (
          <span className="question-header">
            <Revealed text={header} isCollapsed />
          </span>
        )}{' '}
        <Revealed text={text} isCollapsed />
        {question.isOptional && <span className="choice-about"> (optional)</span>}
      </legend>
      {options.map(({ label, description }) => (
        <label key={label} className="choice">
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(label)}
            onChange={(event) => choose(label, event.target.checked)}
          />
          <span>
            <Revealed text={label} isCollapsed />
          </span>
          {description !== undefined && (
            <span className="choice-about">
              <Revealed text={description} isCollapsed />
            </span>
          )}
        </label>
      ))}
      {onlyOptions && !isMany && question.isOptional && (
        <label className="choice">
          <input
            type="radio"
            name={name}
            checked={chosen.length === 0}
            onChange={() => onChoose([])}
          />
          <span>No answer</span>
        </label>
      )}
      {!onlyOptions && (
        <input
          aria-label={`${options.length > 0 ? 'Other answer' : 'Answer'}: ${text}`}
          placeholder={placeholderOf(question)}
          value={ownAnswer}
          onChange={(event) => typeAnswer(event.target.value)}
          autoComplete="off"
        />
      )}
      <ProblemMessage reason={problem} />
    </fieldset>
  )
}

const ownAnswerIn = ({ options, prefill = [] }: ApprovalQuestion): string =>
  prefill.find((text) => !options.some(({ label }) => label === text)) ?? ''

const placeholderOf = (question: ApprovalQuestion): string => {
  if (question.options.length > 0) return 'Or type your own answer'
  const hint = answerHint(question)
  return hint === undefined ? 'Type your answer' : `Type ${hint}`
}
