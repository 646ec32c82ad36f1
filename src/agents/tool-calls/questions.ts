import type { ApprovalAnswers, ApprovalOption, ApprovalQuestion } from '../../events/types.ts'
import { defined, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'

/** The questions in the arguments of a tool that asks a person. */
export const questionsIn = (args: unknown): ApprovalQuestion[] =>
  listOf(fieldsOf(args).questions).flatMap((each) => {
    const { question, header, options, multiSelect } = fieldsOf(each)
    if (typeof question !== 'string') return []
    return [
      {
        question,
        ...defined({ header: stringOf(header) }),
        options: listOf(options).flatMap(optionOf),
        ...(multiSelect === true && { multiSelect }),
      },
    ]
  })

const optionOf = (value: unknown): ApprovalOption[] => {
  const { label, description } = fieldsOf(value)
  if (typeof label !== 'string') return []
  return [{ label, ...defined({ description: stringOf(description) }) }]
}

/** The arguments of a tool that asks a person, with the answers in them, each as one string. */
export const withAnswers = (args: unknown, answers: ApprovalAnswers) => ({
  ...fieldsOf(args),
  answers: Object.fromEntries(
    Object.entries(answers).map(([question, chosen]) => [question, chosen.join(', ')]),
  ),
})

/** The answer to a question in arguments that `withAnswers` gave. */
export const answerIn = (args: unknown, question: string): string | undefined =>
  stringOf(fieldsOf(fieldsOf(args).answers)[question])
