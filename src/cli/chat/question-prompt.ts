import { fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { ApprovalPrompt } from './approval-prompt.ts'
import { chosenBy, isSlip, noAnswerKey } from './choice.ts'
import { choiceLines, withoutControls } from './lines.ts'

/** A question with some answers to choose from. */
export interface Question {
  text: string
  options: readonly { label: string; description: string | undefined }[]
  /** More than one may be chosen. */
  isMany: boolean
}

/** The questions in the arguments of a call. */
export const questionsOf = (args: unknown): Question[] =>
  listOf(fieldsOf(args).questions).flatMap((each) => {
    const { question, options, multiSelect } = fieldsOf(each)
    const text = stringOf(question)
    if (text === undefined) return []
    return [{ text, options: listOf(options).flatMap(optionOf), isMany: multiSelect === true }]
  })

const optionOf = (option: unknown): Question['options'] => {
  const { label, description } = fieldsOf(option)
  return typeof label === 'string' ? [{ label, description: stringOf(description) }] : []
}

/** One question after the other; the decision is the arguments of the call with all answers. */
export const questionPrompt = (
  args: unknown,
  questions: readonly [Question, ...Question[]],
): ApprovalPrompt => askNext({ args, answers: {}, count: questions.length }, ...questions)

interface SoFar {
  args: unknown
  /** By the text of the question. */
  answers: Readonly<Record<string, string>>
  /** How many questions there are. */
  count: number
}

const askNext = (before: SoFar, question: Question, ...rest: Question[]): ApprovalPrompt => {
  const { args, count } = before
  return {
    title: withoutControls(question.text) + placeOf(count - rest.length, count),
    lines: choiceLines(question.options.map(wordsOf)),
    keys: `${waysOf(question)} · ${noAnswerKey} no answer`,
    read(line) {
      const answer = answerIn(line, question)
      if (answer === undefined) return line === noAnswerKey ? unanswered : undefined
      const answers = { ...before.answers, [question.text]: answer }
      const [next, ...others] = rest
      if (next) return askNext({ ...before, answers }, next, ...others)
      return { action: 'allow', updatedInput: { ...fieldsOf(args), answers }, by: 'person' }
    },
  }
}

const unanswered = {
  action: 'deny',
  message: 'The person did not want to answer.',
  by: 'person',
} as const

const placeOf = (place: number, count: number): string =>
  count === 1 ? '' : ` (${place} of ${count})`

const wordsOf = ({ label, description }: Question['options'][number]): string =>
  description === undefined ? label : `${label}: ${description}`

const waysOf = ({ isMany }: Question): string =>
  isMany
    ? 'numbers or names with commas between, or your own words'
    : 'a number, a name or your own words'

/** What was chosen, or said in other words; undefined where a line is no answer. */
const answerIn = (line: string, { options, isMany }: Question): string | undefined => {
  const labels = options.map(({ label }) => label)
  const meant = (part: string) =>
    chosenBy(part, labels) ?? (isSlip(part, labels) ? undefined : part)
  const whole = chosenBy(line, labels)
  if (!isMany || whole !== undefined) return meant(line)
  const parts = partsOf(line).map(meant)
  return parts.includes(undefined) ? undefined : [...new Set(parts)].join(', ')
}

/** Between numbers, a space is as good as a comma. */
const partsOf = (line: string): string[] =>
  line.split(/^[\d\s,]+$/.test(line) ? /[\s,]+/ : ',').map((part) => part.trim())
