import type { ApprovalDecision } from '../../session/conversation/session.ts'
import type { LineInput } from '../line-input.ts'
import { type ApprovalRequest, promptFor } from './approval-prompt.ts'
import {
  type ApprovalPrompts,
  createApprovalPrompts,
  type QuestionPage,
} from './approval-prompts.ts'
import type { ChatBackend } from './chat-backend.ts'
import { drawLine } from './drawn-text.ts'
import type { Screen } from './screen.ts'

export interface QuestionsOptions {
  backend: Pick<ChatBackend, 'pendingApprovals' | 'answer' | 'previewRequest'>
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
  const { backend, screen, input } = options
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

  /** A request that could not be answered is asked again. */
  const answer = async (approvalId: string, decision: ApprovalDecision): Promise<void> => {
    const problem = await backend.answer(approvalId, decision)
    if (problem === undefined) return
    screen.error(drawLine(problem, screen.style))
    prompts.add(approvalId)
  }

  const prompts = createApprovalPrompts({
    pending: backend.pendingApprovals,
    answer: (approvalId, decision) => void answer(approvalId, decision),
    prepare: async (request) =>
      promptFor(request, { style: screen.style, ...(await backend.previewRequest(request)) }),
    layOut: screen.layOut,
    show: (page) => draw(page, screen.showPage),
    remind: (page, problem) => draw(page, () => screen.remind(page, problem)),
    onDenied: (request) =>
      screen.notice(`${subjectOf(request, screen)} was denied: the input has ended.`),
    onDone: finish,
  })

  return {
    ...prompts,
    answer(line, isPasted) {
      if (isListening) return prompts.answer(line, isPasted)
      // Keys between two pages were meant for the page before.
      return prompts.isOpen() && !isFirstPage
    },
    denyAll() {
      prompts.denyAll()
      finish()
    },
  }
}

const subjectOf = ({ toolName, dialog }: ApprovalRequest, { style }: Screen): string =>
  drawLine(toolName ?? dialog?.title ?? 'A question', style)
