import type { Agent } from '../../agents/agent.ts'
import type { RememberedRule } from '../../events/types.ts'
import { coversCall, ruleProblem } from '../../policy/rules.ts'
import { suggestedRules } from '../../preview/preview-approval.ts'
import { type CallPreview, type PreviewContext, previewCall } from '../../preview/preview-call.ts'
import type { Session } from '../../session/conversation/session.ts'
import { ruleSubject } from '../../session/rules/rule-subject.ts'
import type { LineInput } from '../line-input.ts'
import { type ApprovalRequest, promptFor } from './approval-prompt.ts'
import {
  type ApprovalPrompts,
  createApprovalPrompts,
  type QuestionPage,
} from './approval-prompts.ts'
import { drawLine } from './drawn-text.ts'
import { type OfferedRules, type RecordRule, ruleDetail } from './offered-rules.ts'
import type { Screen } from './screen.ts'

export interface QuestionsOptions {
  session: Session
  agent: Pick<Agent, 'knownCall'> | undefined
  cwd: string
  screen: Screen
  input: Pick<LineInput, 'prompt' | 'takeDraft' | 'quiet'>
  recordRule: RecordRule
  /** Called when no question is on the screen any more, with what the person was typing before. */
  onDone(draft: string): void
}

/**
 * The approvals of a session on the screen. What was typed before a question was drawn does not answer
 * it: a whole line is a message, and the beginning of one comes back after the answer.
 */
export type Questions = ApprovalPrompts

export const createQuestions = (options: QuestionsOptions): Questions => {
  const { session, agent, cwd, screen, input } = options
  /** Changes with everything that is drawn, so that a late step can tell that it is outdated. */
  let drawn = 0
  let isFirstPage = true
  let isListening = false
  let draft = ''

  /** Clears the line. What was typed before the question comes back later. */
  const keepDraft = (isKept: boolean): void => {
    const typed = input.takeDraft()
    if (typed !== '') screen.typed()
    if (isKept) draft += typed
  }

  const listen = async ({ isFirst, isLast }: QuestionPage): Promise<void> => {
    const mine = drawn
    await screen.flush()
    await input.quiet()
    if (mine !== drawn) return
    keepDraft(isFirst)
    isListening = true
    if (input.prompt(isLast ? 'answer' : 'page')) screen.prompted()
  }

  const draw = (page: QuestionPage, print: (page: QuestionPage) => void): void => {
    drawn += 1
    isListening = false
    isFirstPage = page.isFirst
    keepDraft(page.isFirst)
    print(page)
    void listen(page)
  }

  const finish = (): void => {
    drawn += 1
    isListening = false
    const text = draft
    draft = ''
    options.onDone(text)
  }

  const recordAdded = ({ scope, rule }: RememberedRule): void =>
    options.recordRule('rule_added', ruleDetail({ scope, effect: 'allow', ...rule }))

  const prompts = createApprovalPrompts({
    pending: session.pendingApprovals,
    answer(approvalId, decision) {
      const isInTime = session.answer(approvalId, decision)
      if (isInTime && decision.remember) recordAdded(decision.remember)
    },
    async prepare(request) {
      const preview = await previewCall(request, { agent, cwd }).catch(() => allOf(request))
      const rules = offeredRules(request, { agent, cwd })
      return promptFor(request, { style: screen.style, preview, rules })
    },
    layOut: screen.layOut,
    show: (page) => draw(page, screen.showPage),
    remind: (page, problem) => draw(page, () => screen.remind(page, problem)),
    onDenied: (request) =>
      screen.notice(`${subjectOf(request, screen)} was denied: the input has ended.`),
    onDone: finish,
  })

  return {
    ...prompts,
    answer(line) {
      if (isListening) return prompts.answer(line)
      // Keys between two pages were meant for the page before.
      return prompts.isOpen() && !isFirstPage
    },
    denyAll() {
      prompts.denyAll()
      finish()
    },
  }
}

/** The rules that an answer can add, the narrowest first. */
const offeredRules = (
  request: ApprovalRequest,
  { agent, cwd }: PreviewContext,
): OfferedRules | undefined => {
  const { toolName: tool = '' } = request
  const [first, ...more] = suggestedRules(request, { agent, cwd })
  if (!first || !agent) return undefined
  const subject = ruleSubject(request, agent, cwd)
  return {
    tool,
    suggestions: [first, ...more],
    problemOf(rule) {
      const wanted = { effect: 'allow', ...rule } as const
      const problem = ruleProblem(wanted, subject.call?.kind)
      if (problem !== undefined) return problem
      return coversCall(wanted, subject) ? undefined : 'The pattern does not cover this call.'
    },
  }
}

/** A request that cannot be previewed is still shown whole. */
const allOf = ({ args }: ApprovalRequest): CallPreview => ({ kind: 'arguments', args })

const subjectOf = ({ toolName, dialog }: ApprovalRequest, { style }: Screen): string =>
  drawLine(toolName ?? dialog?.title ?? 'A question', style)
