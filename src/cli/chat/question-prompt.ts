import { answerHint, questionProblem } from '../../events/answer-problem.ts'
import type {
  ApprovalAnswers,
  ApprovalDialog,
  ApprovalOption,
  ApprovalQuestion,
} from '../../events/types.ts'
import type { Style } from '../../handler/style.ts'
import { ownValue } from '../../shared/fields.ts'
import type { ApprovalPrompt } from './approval-prompt.ts'
import { chosenBy, isSlip, noAnswerKey } from './choice.ts'
import { drawLine, drawText } from './drawn-text.ts'
import { choiceLines, joined, quoted, type RequestLines, said } from './request-lines.ts'
import { isKey } from './tool-prompt.ts'

type Questions = readonly [ApprovalQuestion, ...ApprovalQuestion[]]

/**
 * One question after the other; the decision has the answers to all of them. The answers of a form are
 * shown once more before they are sent. `form` is what the form is about.
 */
export const questionPrompt = (
  questions: Questions,
  style: Style,
  form?: ApprovalDialog,
): ApprovalPrompt => askNext({ answers: {}, questions, style, form }, ...questions)

interface SoFar {
  answers: ApprovalAnswers
  questions: Questions
  style: Style
  form: ApprovalDialog | undefined
}

const askNext = (
  before: SoFar,
  question: ApprovalQuestion,
  ...rest: ApprovalQuestion[]
): ApprovalPrompt => {
  const { questions, style } = before
  const place = placeOf(questions.length - rest.length, questions.length)
  const noAnswer = noAnswerKeyOf(question)
  return {
    title: drawLine(labelOf(question, before), style) + place,
    ...joined(
      rest.length + 1 === questions.length ? headOf(before) : joined(),
      choiceLines(question.options.map(wordsOf), style),
    ),
    keys: [[waysOf(question), ...emptyOf(question, style), `${noAnswer} no answer`].join(' · ')],
    acceptsPasted: (line) => !isLabel(line, question),
    read(line) {
      if (isKey(line, noAnswer) && !isLabel(line, question)) return unanswered
      const chosen = typedAnswer(line, question)
      if (chosen === undefined) return undefined
      const problem = questionProblem(question, chosen)
      if (problem !== undefined) return { problem }
      const answers = { ...before.answers, [question.question]: chosen }
      const [next, ...others] = rest
      if (next) return askNext({ ...before, answers }, next, ...others)
      return before.form && questions.length > 1
        ? review({ ...before, answers })
        : { action: 'allow', answers, by: 'person' }
    },
  }
}

/** Shows the answers of a form once more. */
const review = (done: SoFar): ApprovalPrompt => {
  const { questions, answers, style } = done
  return {
    title: 'Send these answers?',
    ...joined(
      ...questions.map((question) => {
        const answer = ownValue(answers, question.question) ?? []
        const label = question.header ?? question.question
        return quoted(drawText(`${label}: ${answer.join(', ') || '(no answer)'}`, style))
      }),
    ),
    keys: [`y send · n change them · ${noAnswerKey} no answer`],
    read(line) {
      if (isKey(line, 'y') || isKey(line, 'yes')) return { action: 'allow', answers, by: 'person' }
      if (isKey(line, noAnswerKey)) return unanswered
      return isKey(line, 'n') || isKey(line, 'no') ? askAgain(done) : undefined
    },
  }
}

/** Starts with the answers that were given. */
const askAgain = ({ questions, answers, style, form }: SoFar): ApprovalPrompt => {
  const [first, ...more] = questions
  const again = (question: ApprovalQuestion): ApprovalQuestion => {
    const given = ownValue(answers, question.question) ?? []
    return given.length > 0 ? { ...question, prefill: given } : question
  }
  return questionPrompt([again(first), ...more.map(again)], style, form)
}

const isLabel = (line: string, { options }: ApprovalQuestion): boolean =>
  chosenBy(
    line,
    options.map(({ label }) => label),
  ) !== undefined

const unanswered = {
  action: 'deny',
  message: 'The person did not want to answer.',
  by: 'person',
} as const

const placeOf = (place: number, count: number): string =>
  count === 1 ? '' : ` (${place} of ${count})`

const labelOf = ({ header, question }: ApprovalQuestion, { form }: SoFar): string =>
  form && header !== undefined ? `${header}: ${question}` : question

/** Who asks and why, above the first question of a form. */
const headOf = ({ form, style }: SoFar): RequestLines =>
  joined(
    form?.title === undefined ? joined() : said(drawLine(form.title, style)),
    form?.message === undefined ? joined() : quoted(drawText(form.message, style)),
  )

const wordsOf = ({ label, description }: ApprovalOption): string =>
  description === undefined ? label : `${label}: ${description}`

const waysOf = (question: ApprovalQuestion): string => {
  const { multiSelect, onlyOptions, options } = question
  const hint = answerHint(question)
  if (options.length === 0) return `type ${hint ?? 'your answer'}`
  const end = hint === undefined ? '' : ` (${hint})`
  if (onlyOptions)
    return multiSelect ? `numbers or names with commas between${end}` : 'a number or a name'
  return multiSelect
    ? 'numbers or names with commas between, or your own words'
    : 'a number, a name or your own words'
}

/** What Enter alone does. */
const emptyOf = ({ prefill = [], isOptional }: ApprovalQuestion, style: Style): string[] => {
  if (prefill.length > 0) return [`Enter alone: ${drawLine(prefill.join(', '), style)}`]
  return isOptional ? ['Enter alone leaves it out'] : []
}

/** Zero can be the answer to a question for a number. */
const noAnswerKeyOf = ({ format, options }: ApprovalQuestion): string =>
  options.length === 0 && (format === 'number' || format === 'integer') ? 'n' : noAnswerKey

/** The labels chosen, or the text typed instead; undefined when the line is not an answer. */
export const typedAnswer = (line: string, question: ApprovalQuestion): string[] | undefined => {
  const { options, multiSelect, onlyOptions, isOptional, prefill = [] } = question
  if (line === '' && prefill.length > 0) return [...prefill]
  if (line === '') return isOptional ? [] : undefined
  const labels = options.map(({ label }) => label)
  if (labels.length === 0 && isOptional !== undefined) return [line]
  const meant = (part: string) =>
    chosenBy(part, labels) ?? (onlyOptions || isSlip(part, labels) ? undefined : part)
  const whole = chosenBy(line, labels)
  const parts = multiSelect && whole === undefined ? partsOf(line) : [line]
  const chosen = parts.flatMap((part) => meant(part) ?? [])
  return chosen.length === parts.length ? [...new Set(chosen)] : undefined
}

/** Between numbers, a space is as good as a comma. */
const partsOf = (line: string): string[] =>
  line.split(/^[\d\s,]+$/.test(line) ? /[\s,]+/ : ',').map((part) => part.trim())
