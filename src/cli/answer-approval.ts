import type { Approval, ApprovalAnswer } from '../api/types.ts'
import { describeUse, formatAmount, parseAmount } from '../budget/amounts.ts'
import type { Client } from '../client/client.ts'
import { allows } from '../events/chosen-option.ts'
import type { DecisionOption } from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { answerFor, needsAnswer, questionLines } from './answer-questions.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { findServerSession, shortId } from './find-session.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import { printError, type Terminal } from './terminal.ts'
import { wrapText } from './wrap-text.ts'

/** `sluice approvals`: what waits for a person on a server, oldest first. */
export const listApprovals = async (
  { session, json, ...target }: ServerTarget & { session?: string; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const client = requireServerAt(target)
  const approvals = await onServer(target, () => pendingOf(client, session))
  if (approvals.length === 0 && !json) terminal.write('Nothing waits for an answer.\n')
  for (const approval of approvals)
    if (json) terminal.writeJson(approval)
    else terminal.write(textOf(approval, terminal.size()?.columns ?? 80))
  await terminal.flush()
  return exitCodes.done
}

const pendingOf = async (client: Client, session: string | undefined): Promise<Approval[]> =>
  session === undefined
    ? client.approvals.list()
    : client.approvals.list({ sessionId: (await findServerSession(client, session)).id })

const textOf = (approval: Approval, columns: number): string => {
  const { approvalId, sessionId, kind } = approval
  const id = shortId(approvalId)
  const how = howTo(approval)
  const subject = plainLine(subjectOf(approval))
  return [
    `${id}  session ${shortId(sessionId)}`,
    // The end of a budget's sentence says how much is used.
    kind === 'budget'
      ? wrapText(subject, columns, '  ')
      : `  ${shortened(subject, Math.max(20, columns - 2))}`,
    ...questionLines(approval, columns),
    wrapText(`sluice answer ${id} ${how}`, columns, '  '),
    ...(approval.options ?? []).map((option) => optionText(option, columns)),
    '',
  ].join('\n')
}

const howTo = (approval: Approval): string => {
  if (approval.kind === 'budget') return '--raise <amount> or --stop'
  const { questions = [] } = approval
  if (!needsAnswer(approval)) return '--allow or --deny'
  return `${questions.map(() => '--answer <text>').join(' ') || '--answer <text>'} or --deny`
}

const optionText = ({ id, label }: DecisionOption, columns: number): string =>
  wrapText(`--option ${plainLine(id)}: ${plainLine(label)}`, columns, '  ')

/** What an approval is about, in one line. */
const subjectOf = ({ kind, budget, toolName, args, dialog, questions, plan }: Approval): string => {
  if (budget) return describeUse(budget)
  if (kind === 'plan') return `plan: ${plan ?? ''}`
  const question = dialog?.title ?? questions?.[0]?.question
  return question ?? `${toolName ?? kind} ${args === undefined ? '' : JSON.stringify(args)}`
}

export interface TerminalAnswer extends ServerTarget {
  /** The id of the approval, or its beginning. */
  approval: string
  allow: boolean
  deny: boolean
  stop: boolean
  raise?: string
  /** The id of one of the choices that the agent offers. */
  option?: string
  /** The answers to the questions, in their order. */
  answer?: readonly string[]
  message?: string
  json: boolean
}

/** `sluice answer`: answers an approval on a server, from any terminal. */
export const answerFromTerminal = async (
  options: TerminalAnswer,
  terminal: Terminal,
): Promise<number> => {
  const client = requireServerAt(options)
  const { approval, answer } = await onServer(options, async () => {
    const found = findApproval(options.approval, await client.approvals.list())
    return { approval: found, answer: answerOf(found, options) }
  })
  const result = await onServer(options, () => client.approvals.answer(approval.approvalId, answer))
  if (options.json) terminal.writeJson(result)
  await terminal.flush()
  if (!options.json) printError(outcomeOf(approval, answer))
  return exitCodes.done
}

const findApproval = (wanted: string, pending: readonly Approval[]): Approval => {
  const found = pending.filter(({ approvalId }) => approvalId.startsWith(wanted))
  const [first] = found
  if (first && found.length === 1) return first
  throw new Fault(
    'usage',
    first
      ? `Several approvals begin with ${plainLine(wanted)}. Type more of the id.`
      : `No approval ${plainLine(wanted)} waits. List those that wait with: sluice approvals`,
  )
}

const answerOf = (approval: Approval, options: TerminalAnswer): ApprovalAnswer => {
  const { allow, deny, stop, raise, option, answer, message } = options
  const given = [allow, deny, stop, raise !== undefined, option !== undefined, !!answer]
  if (given.filter(Boolean).length !== 1)
    throw new Fault('usage', 'Give one of --allow, --answer, --deny, --option, --raise and --stop.')
  if (option !== undefined) return chosenAnswer(approval, option, message)
  if (answer) return { ...answerFor(approval, answer), ...(message !== undefined && { message }) }
  const { hash, budget } = approval
  if (allow && needsAnswer(approval))
    throw new Fault(
      'usage',
      `This is a question. Answer it with --answer, or with: sluice attach ${shortId(approval.sessionId)}`,
    )
  if ((raise !== undefined || stop) && !budget)
    throw new Fault('usage', 'This approval is not about a limit. Give --allow or --deny.')
  const amount = raise === undefined || !budget ? undefined : parseAmount(budget.measure, raise)
  if (raise !== undefined && amount === undefined)
    throw new Fault(
      'usage',
      `“${plainLine(raise)}” is not an amount. Examples: --raise 5 (dollars), 200k (tokens), 30m (time).`,
    )
  return {
    action: allow || raise !== undefined ? 'allow' : 'deny',
    ...(hash !== undefined && { hash }),
    ...(amount !== undefined && { raise: amount }),
    ...(message !== undefined && { message }),
  }
}

const chosenAnswer = (
  { options = [], hash }: Approval,
  optionId: string,
  message: string | undefined,
): ApprovalAnswer => {
  const option = options.find(({ id }) => id === optionId)
  if (!option)
    throw new Fault(
      'usage',
      options.length === 0
        ? 'The agent offers no choices for this approval. Give --allow or --deny.'
        : `The agent offers these choices: ${options.map(({ id }) => plainLine(id)).join(', ')}.`,
    )
  return {
    action: allows(option) ? 'allow' : 'deny',
    optionId,
    ...(hash !== undefined && { hash }),
    ...(message !== undefined && { message }),
  }
}

const outcomeOf = ({ budget }: Approval, { action, raise }: ApprovalAnswer): string => {
  if (!budget) return action === 'allow' ? 'allowed.' : 'denied.'
  if (action === 'deny') return 'stopped the run.'
  const { measure, limit } = budget
  return raise === undefined
    ? 'raised the limit.'
    : `raised the limit to ${formatAmount(measure, limit + raise)}.`
}
