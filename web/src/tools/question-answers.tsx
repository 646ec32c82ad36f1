import { fieldsOf } from '../../../src/shared/fields.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { listIn, textIn } from './fields.ts'

/** What was asked and what was answered. */
export const QuestionAnswers = ({ entry }: { entry: ToolEntry }) => {
  const answers = fieldsOf(fieldsOf(entry.args).answers)
  return (
    <dl className="answers">
      {listIn(entry.args, 'questions').map((question) => {
        const text = textIn(question, 'question') ?? ''
        const answer = answers[text]
        return (
          <div key={text}>
            <dt>{text}</dt>
            <dd>{typeof answer === 'string' ? answer : 'No answer.'}</dd>
          </div>
        )
      })}
    </dl>
  )
}
