import type { Agent } from '../../agents/agent.ts'
import { suggestedRules } from '../../preview/preview-approval.ts'
import { type CallPreview, previewCall } from '../../preview/preview-call.ts'
import type { Session } from '../../session/conversation/session.ts'
import type { LineInput } from '../line-input.ts'
import { type ApprovalRequest, promptFor } from './approval-prompt.ts'
import {
  type ApprovalPrompts,
  createApprovalPrompts,
  type QuestionPage,
} from './approval-prompts.ts'
import { drawLine } from './drawn-text.ts'
import type { Screen } from './screen.ts'

export interface QuestionsOptions {
  session: Session
  agent: Pick<Agent, 'knownCall'> | undefined
  cwd: string
  screen: Screen
  input: Pick<LineInput, 'prompt' | 'takeDraft' | 'quiet'>
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

  const listen = async ({ isFirst, isLast }: QuestionPage): Promise<void> => {
    const mine = drawn
    await screen.flush()
    await input.quiet()
    if (mine !== drawn) return
    const typed = input.takeDraft()
    if (isFirst) draft += typed
    isListening = true
    if (input.prompt(isLast ? 'answer' : 'page')) screen.prompted()
  }

  const draw = (page: QuestionPage, print: (page: QuestionPage) => void): void => {
    drawn += 1
    isListening = false
    isFirstPage = page.isFirst
    const typed = input.takeDraft()
    if (page.isFirst) draft += typed
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

  const prompts = createApprovalPrompts({
    pending: session.pendingApprovals,
    answer: session.answer,
    async prepare(request) {
      const preview = await previewCall(request, { agent, cwd }).catch(() => allOf(request))
      const [rule] = suggestedRules(request, { agent, cwd })
      return promptFor(request, { style: screen.style, preview, rule })
    },
    layOut: screen.layOut,
    show: (page) => draw(page, screen.showPage),
    remind: (page) => draw(page, screen.remind),
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

/** A request that cannot be previewed is still shown whole. */
const allOf = ({ args }: ApprovalRequest): CallPreview => ({ kind: 'arguments', args })

const subjectOf = ({ toolName, dialog }: ApprovalRequest, { style }: Screen): string =>
  drawLine(toolName ?? dialog?.title ?? 'A question', style)
