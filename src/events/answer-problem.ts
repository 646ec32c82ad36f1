import { ownValue } from '../shared/fields.ts'
import type { AnswerFormat, ApprovalAnswers, ApprovalQuestion } from './types.ts'

/**
 * Why answers do not fit the questions of a request, for people; undefined if they fit. Questions that
 * state no limits take any answer.
 */
export const answerProblem = (
  questions: readonly ApprovalQuestion[],
  answers: ApprovalAnswers = {},
): string | undefined => {
  for (const question of questions) {
    const problem = questionProblem(question, ownValue(answers, question.question) ?? [])
    if (problem !== undefined) return `${question.header ?? question.question}: ${problem}`
  }
  return undefined
}

/** Why an answer does not fit a question; undefined if it fits. */
export const questionProblem = (
  question: ApprovalQuestion,
  answer: readonly string[],
): string | undefined => {
  const given = answer.filter((text) => text !== '')
  if (given.length === 0) return question.isOptional === false ? 'An answer is needed.' : undefined
  const { options, onlyOptions, multiSelect } = question
  const other = given.find((text) => !options.some(({ label }) => label === text))
  if (onlyOptions && other !== undefined) return 'Choose one of the options.'
  if (onlyOptions && !multiSelect && given.length > 1) return 'Choose one option only.'
  return multiSelect ? countProblem(question, given.length) : textProblem(question, given[0] ?? '')
}

type Limits = Pick<ApprovalQuestion, 'minimum' | 'maximum'>

const countProblem = ({ minimum, maximum }: Limits, count: number): string | undefined => {
  if (minimum !== undefined && count < minimum) return `Choose at least ${minimum}.`
  return maximum !== undefined && count > maximum ? `Choose at most ${maximum}.` : undefined
}

const textProblem = (question: ApprovalQuestion, text: string): string | undefined => {
  const { format, onlyOptions } = question
  if (onlyOptions) return undefined
  if (format === 'number' || format === 'integer') return numberProblem(question, format, text)
  const { minimum, maximum } = question
  const length = [...text].length
  if (minimum !== undefined && length < minimum) return `At least ${minimum} characters are needed.`
  if (maximum !== undefined && length > maximum)
    return `At most ${maximum} characters are possible.`
  return format === undefined || formats[format].test(text) ? undefined : formatProblems[format]
}

const numberProblem = (
  { minimum, maximum }: Limits,
  format: 'number' | 'integer',
  text: string,
): string | undefined => {
  const value = numberIn(text)
  if (value === undefined) return 'Type a number.'
  if (format === 'integer' && !Number.isSafeInteger(value)) return 'Type a whole number.'
  if (minimum !== undefined && value < minimum) return `The lowest number is ${minimum}.`
  return maximum !== undefined && value > maximum ? `The highest number is ${maximum}.` : undefined
}

/** The number that a person typed; undefined if it is none. */
export const numberIn = (text: string): number | undefined =>
  /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : undefined

type TextFormat = Exclude<AnswerFormat, 'number' | 'integer'>

/** Only mistakes are found here: the agent checks the rest. */
const formats: Record<TextFormat, RegExp> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[-+]\d{2}:\d{2})?$/,
}

const formatProblems: Record<TextFormat, string> = {
  email: 'Type an email address.',
  uri: 'Type a whole address, such as https://example.org.',
  date: 'Type a date such as 2026-03-31.',
  'date-time': 'Type a date and time such as 2026-03-31T09:30:00Z.',
}

/** What a person may type, in a few words; undefined if it is any text. */
export const answerHint = (question: ApprovalQuestion): string | undefined => {
  const { format, minimum, maximum, multiSelect, onlyOptions } = question
  const kind = format === undefined ? undefined : formatWords[format]
  const unit = multiSelect ? ' options' : format === undefined && !onlyOptions ? ' characters' : ''
  const hasLimits = multiSelect || !onlyOptions
  const limits = hasLimits ? rangeText(minimum, maximum, unit) : undefined
  const parts = [kind, limits].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(', ') : undefined
}

const formatWords: Record<AnswerFormat, string> = {
  number: 'a number',
  integer: 'a whole number',
  email: 'an email address',
  uri: 'an address',
  date: 'a date such as 2026-03-31',
  'date-time': 'a date and time such as 2026-03-31T09:30:00Z',
}

const rangeText = (
  minimum: number | undefined,
  maximum: number | undefined,
  unit: string,
): string | undefined => {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}${unit}`
  if (minimum !== undefined) return `at least ${minimum}${unit}`
  return maximum === undefined ? undefined : `at most ${maximum}${unit}`
}
