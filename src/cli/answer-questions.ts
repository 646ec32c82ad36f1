import type { Approval, ApprovalAnswer } from '../api/types.ts'
import { answerHint, questionProblem } from '../events/answer-problem.ts'
import type { ApprovalQuestion } from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { chosenBy } from './chat/choice.ts'
import { typedAnswer } from './chat/question-prompt.ts'
import { plainLine } from './clean-text.ts'
import { wrapText } from './wrap-text.ts'

/** Whether an approval needs more than yes or no. */
export const needsAnswer = ({ kind, dialog, questions = [] }: Approval): boolean =>
  dialog ? needsText(dialog.kind) : kind === 'question' || questions.length > 0

const needsText = (kind: string): boolean => kind !== 'confirm' && kind !== 'url'

/** What `--answer` means for an approval: one text for each question, in their order. */
export const answerFor = (approval: Approval, texts: readonly string[]): ApprovalAnswer => {
  const { questions = [], dialog, hash } = approval
  const given = { action: 'allow', ...(hash !== undefined && { hash }) } as const
  if (questions.length > 0) return { ...given, answers: answersTo(questions, texts) }
  if (!dialog || !needsText(dialog.kind))
    throw new Fault('usage', 'This approval is not a question. Give --allow or --deny.')
  const [text, ...more] = texts
  if (text === undefined || more.length > 0) throw wrongCount(1, texts.length)
  return { ...given, value: valueFor(dialog, text) }
}

const valueFor = ({ kind, options = [] }: NonNullable<Approval['dialog']>, text: string) => {
  const value = kind === 'select' ? chosenBy(text, options) : text
  if (value !== undefined) return value
  throw new Fault('usage', `Choose one of: ${options.map(plainLine).join(', ')}.`)
}

const answersTo = (questions: readonly ApprovalQuestion[], texts: readonly string[]) => {
  if (texts.length !== questions.length) throw wrongCount(questions.length, texts.length)
  return Object.fromEntries(
    questions.map((question, at) => [question.question, answerTo(question, texts[at] ?? '')]),
  )
}

const answerTo = (question: ApprovalQuestion, text: string): string[] => {
  const chosen = typedAnswer(text, question)
  const problem = chosen === undefined ? choiceProblem(question) : questionProblem(question, chosen)
  if (chosen !== undefined && problem === undefined) return chosen
  throw new Fault('usage', `${plainLine(question.header ?? question.question)}: ${problem}`)
}

const choiceProblem = ({ options }: ApprovalQuestion): string =>
  options.length > 0
    ? `Choose one of: ${options.map(({ label }) => plainLine(label)).join(', ')}.`
    : 'An answer is needed.'

const wrongCount = (count: number, given: number): Fault =>
  new Fault(
    'usage',
    `There ${count === 1 ? 'is 1 question' : `are ${count} questions`}, and ${given} ${given === 1 ? 'answer' : 'answers'}. Give --answer once for each question, in their order.`,
  )

/** The questions of an approval, as `sluice approvals` lists them. */
export const questionLines = ({ questions = [], dialog }: Approval, columns: number): string[] => {
  const wrapped = (text: string) => wrapText(text, columns, '  ')
  const about = [dialog?.message, dialog?.url].flatMap((text) => text ?? [])
  const choices = dialog?.options?.map(plainLine).join(' | ')
  return [
    ...about.map((text) => wrapped(plainLine(text))),
    ...(choices === undefined ? [] : [wrapped(choices)]),
    ...questions.map((question, at) => wrapped(`${at + 1}. ${questionText(question)}`)),
  ]
}

const questionText = (question: ApprovalQuestion): string => {
  const { header, question: text, options, isOptional } = question
  const choices = options.map(({ label }) => label).join(' | ')
  const notes = [choices || undefined, answerHint(question), isOptional ? 'optional' : undefined]
  const end = notes.filter((note) => note !== undefined).join('; ')
  const label = header === undefined || header === text ? text : `${header}: ${text}`
  return plainLine(end === '' ? label : `${label} [${end}]`)
}
