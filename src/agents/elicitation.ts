import { answerProblem } from '../events/answer-problem.ts'
import type { DecisionOption, EventOf } from '../events/types.ts'
import { defined, type Fields, fieldsOf, ownValue, stringOf } from '../shared/fields.ts'
import { type ContentValue, type FormField, formFields } from './form-fields.ts'
import type { ApprovalReply } from './live.ts'

/** A form or an address that an agent, or one of its MCP servers, shows to a person. */
export interface Elicitation {
  /** What the approval request shows. */
  readonly request: Pick<EventOf<'approval_request'>, 'dialog' | 'questions' | 'options'>
  /** What the agent calls the request, if it reports later that an address was used. */
  readonly elicitationId: string | undefined
  /** The response to the decision of a person. */
  responseTo(answer: ApprovalReply): ElicitationResponse
}

export interface ElicitationResponse {
  action: 'accept' | 'decline' | 'cancel'
  content?: Readonly<Record<string, ContentValue>>
}

/** The response to a request that nobody can be shown, or that nobody waits for. */
export const cancelledElicitation: ElicitationResponse = { action: 'cancel' }

/**
 * Reads a request of the Model Context Protocol for input, which ACP and Codex pass on. `from` is who
 * makes it, for people. Undefined if a person cannot be shown all of it.
 */
export const readElicitation = (params: Fields, from: string): Elicitation | undefined => {
  const message = stringOf(params.message)
  const title = `${from} asks for input`
  if (params.mode === 'url') return urlElicitation(params, { title, message })
  if (params.mode !== undefined && params.mode !== 'form') return undefined
  const fields = formFields(fieldsOf(params.requestedSchema))
  if (!fields) return undefined
  const kind = fields.length > 0 ? 'form' : 'confirm'
  const questions = fields.map(({ question }) => question)
  return {
    request: {
      dialog: { kind, title, ...defined({ message }) },
      ...(questions.length > 0 && { questions }),
      options: refusals,
    },
    elicitationId: undefined,
    responseTo: (answer) => formResponse(fields, answer),
  }
}

const refusals: DecisionOption[] = [
  { id: 'decline', label: 'Decline to answer', kind: 'reject_once' },
  { id: 'cancel', label: 'Cancel', kind: 'stop' },
]

const refusalOf = ({ optionId, isUnanswered }: ApprovalReply): ElicitationResponse =>
  isUnanswered || optionId === 'cancel' ? cancelledElicitation : { action: 'decline' }

const urlElicitation = (
  params: Fields,
  about: { title: string; message: string | undefined },
): Elicitation | undefined => {
  const url = stringOf(params.url) ?? ''
  if (!isWebAddress(url)) return undefined
  return {
    request: { dialog: { kind: 'url', ...defined(about), url }, options: refusals },
    elicitationId: stringOf(params.elicitationId),
    responseTo: (answer) => (answer.action === 'allow' ? { action: 'accept' } : refusalOf(answer)),
  }
}

/** Other addresses would run a script or open a file. One with a name before the host misleads. */
const isWebAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** Answers that do not fit are no answers: the agent must not act on them. */
const formResponse = (fields: readonly FormField[], reply: ApprovalReply): ElicitationResponse => {
  if (reply.action === 'deny') return refusalOf(reply)
  const questions = fields.map(({ question }) => question)
  const { answers = {} } = reply
  if (answerProblem(questions, answers) !== undefined) return { action: 'decline' }
  const content = fields.flatMap(({ name, question, toContent }) => {
    const given = (ownValue(answers, question.question) ?? []).filter((text) => text !== '')
    const value = toContent(given)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { action: 'accept', content: Object.fromEntries(content) }
}
