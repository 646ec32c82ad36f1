import { fieldsOf } from '../../../src/shared/fields.ts'
import { listIn, textIn } from '../tools/fields.ts'

/** A question with some answers to choose from. */
export interface Question {
  readonly text: string
  readonly header: string | undefined
  readonly options: readonly { label: string; description: string | undefined }[]
  readonly isMany: boolean
}

/** The questions in the arguments of a call. */
export const questionsOf = (args: unknown): Question[] =>
  listIn(args, 'questions').flatMap((question) => {
    const text = textIn(question, 'question')
    if (text === undefined) return []
    return [
      {
        text,
        header: textIn(question, 'header'),
        isMany: fieldsOf(question).multiSelect === true,
        options: listIn(question, 'options').flatMap((option) => {
          const label = textIn(option, 'label')
          return label === undefined ? [] : [{ label, description: textIn(option, 'description') }]
        }),
      },
    ]
  })
