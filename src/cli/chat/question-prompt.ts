import type { ApprovalAnswers, ApprovalOption, ApprovalQuestion } from '../../events/types.ts'
import type { Style } from '../../handler/style.ts'
import type { ApprovalPrompt } from './approval-prompt.ts'
import { chosenBy, isSlip, noAnswerKey } from './choice.ts'
import { drawLine } from './drawn-text.ts'
import { choiceLines } from './request-lines.ts'

/** One question after the other; the decision has the answers to all of them. */
export const questionPrompt = (
  questions: readonly [ApprovalQuestion, ...ApprovalQuestion[]],
  style: Style,
): ApprovalPrompt => askNext({ answers: {}, count: questions.length, style }, ...questions)

interface SoFar {
  answers: ApprovalAnswers
  /** How many questions there are. */
  count: number
  style: Style
}

const askNext = (
  before: SoFar,
  question: ApprovalQuestion,
  ...rest: ApprovalQuestion[]
): ApprovalPrompt => {
  const { count, style } = before
  return {
    title: drawLine(question.question, style) + placeOf(count - rest.length, count),
    ...choiceLines(question.options.map(wordsOf), style),
    keys: [`${waysOf(question)} · ${noAnswerKey} no answer`],
    acceptsPasted: (line) =>
      chosenBy(
        line,
        question.options.map(({ label }) => label),
      ) === undefined,
    read(line) {
      const chosen = answersIn(line, question)
      if (chosen === undefined) return line === noAnswerKey ? unanswered : undefined
      const answers = { ...before.answers, [question.question]: chosen }
      const [next, ...others] = rest
      if (next) return askNext({ ...before, answers }, next, ...others)
      return { action: 'allow', answers, by: 'person' }
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

const wordsOf = ({ label, description }: ApprovalOption): string =>
  description === undefined ? label : `${label}: ${description}`

const waysOf = ({ multiSelect }: ApprovalQuestion): string =>
  multiSelect
    ? 'numbers or names with commas between, or your own words'
    : 'a number, a name or your own words'

/** The labels chosen, or the text typed instead; undefined when the line is not an answer. */
const answersIn = (
  line: string,
  { options, multiSelect }: ApprovalQuestion,
): string[] | undefined => {
  const labels = options.map(({ label }) => label)
  const meant = (part: string) =>
    chosenBy(part, labels) ?? (isSlip(part, labels) ? undefined : part)
  const whole = chosenBy(line, labels)
  const parts = multiSelect && whole === undefined ? partsOf(line) : [line]
  const chosen = parts.flatMap((part) => meant(part) ?? [])
  return chosen.length === parts.length ? [...new Set(chosen)] : undefined
}

/** Between numbers, a space is as good as a comma. */
const partsOf = (line: string): string[] =>
  line.split(/^[\d\s,]+$/.test(line) ? /[\s,]+/ : ',').map((part) => part.trim())
