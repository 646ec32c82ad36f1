import { useId, useState } from 'react'
import type { ApprovalQuestion } from '../../../src/events/index.ts'
import { Revealed } from '../parts/revealed.tsx'

interface Props {
  question: ApprovalQuestion
  chosen: readonly string[]
  onChoose: (labels: string[]) => void
}

/** One question: choose one or more of its answers, or type another. */
export const QuestionField = ({ question, chosen, onChoose }: Props) => {
  const { question: text, header, options, multiSelect: isMany = false } = question
  const [ownAnswer, setOwnAnswer] = useState('')
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
      <input
        aria-label={`Other answer: ${text}`}
        placeholder="Or type your own answer"
        value={ownAnswer}
        onChange={(event) => typeAnswer(event.target.value)}
        autoComplete="off"
      />
    </fieldset>
  )
}
