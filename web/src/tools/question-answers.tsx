import { answerIn, questionsIn } from '../../../src/agents/tool-calls/questions.ts'
import { ownValue } from '../../../src/shared/fields.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'

/** The questions of the agent, with their answers. */
export const QuestionAnswers = ({ entry: { args, decision } }: { entry: ToolEntry }) => (
  <dl className="answers">
    {questionsIn(args).map(({ question }) => (
      <div key={question}>
        <dt>{question}</dt>
        <dd>
          {ownValue(decision?.answers ?? {}, question)?.join(', ') ??
            answerIn(args, question) ??
            'No answer.'}
        </dd>
      </div>
    ))}
  </dl>
)
