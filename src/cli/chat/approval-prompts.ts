import type { ApprovalDecision } from '../../session/conversation/session.ts'
import type { ApprovalPrompt, ApprovalRequest } from './approval-prompt.ts'
import { isDenial } from './tool-prompt.ts'

/** One screenful of a question. */
export interface QuestionPage {
  prompt: ApprovalPrompt
  rows: readonly string[]
  isFirst: boolean
  /** Such as `page 1 of 3`. */
  place: string
  /** Only the last page can be answered with yes. */
  isLast: boolean
}

export interface ApprovalPromptsOptions {
  /** The requests that wait for an answer. */
  pending(): readonly ApprovalRequest[]
  answer(approvalId: string, decision: ApprovalDecision): void
  /** Finds out what a request would do, and makes its prompt. */
  prepare(request: ApprovalRequest): Promise<ApprovalPrompt>
  /** The rows of each page of a prompt. */
  layOut(prompt: ApprovalPrompt): readonly (readonly string[])[]
  show(page: QuestionPage): void
  /** Repeats what can be typed, after a line that is not an answer, and says what is wrong with it. */
  remind(page: QuestionPage, problem?: string): void
  /** Called when a request is denied because the input has ended. */
  onDenied(request: ApprovalRequest): void
  /** Called when the last question is gone from the screen. */
  onDone(): void
}

/** The approvals that a person must answer, one at a time, in the order of the requests. */
export interface ApprovalPrompts {
  /** Adds a request. One that a policy has decided already is not shown. */
  add(approvalId: string): void
  /** Removes a request that was decided; false when it was not waiting here. */
  remove(approvalId: string): boolean
  /**
   * Uses a line as the answer to the page on the screen; false when there is none. Pasted text can deny
   * and can be a text that was asked for, but it cannot allow or choose anything.
   */
  answer(line: string, isPasted: boolean): boolean
  /** Whether a question is on the screen, or about to be. */
  isOpen(): boolean
  /** Denies what waits, and every later request: nobody can answer any more. */
  denyAll(): void
}

interface Waiting {
  request: ApprovalRequest
  prompt?: ApprovalPrompt
  pages: readonly (readonly string[])[]
  at: number
}

export const createApprovalPrompts = (options: ApprovalPromptsOptions): ApprovalPrompts => {
  const waiting: Waiting[] = []
  let isUnattended = false

  const show = (entry: Waiting): void => {
    const page = pageOf(entry)
    if (page) options.show(page)
  }

  const setPrompt = (entry: Waiting, prompt: ApprovalPrompt): void => {
    entry.prompt = prompt
    entry.pages = options.layOut(prompt)
    entry.at = 0
    show(entry)
  }

  const showFirst = async (): Promise<void> => {
    const [first] = waiting
    if (!first) return options.onDone()
    const prompt = await options.prepare(first.request)
    // It may have been decided meanwhile.
    if (waiting[0] === first) setPrompt(first, prompt)
  }

  const remove = (approvalId: string): boolean => {
    const at = waiting.findIndex(({ request }) => request.approvalId === approvalId)
    if (at < 0) return false
    waiting.splice(at, 1)
    if (at === 0) void showFirst()
    return true
  }

  const decide = ({ request }: Waiting, decision: ApprovalDecision): void => {
    options.answer(request.approvalId, decision)
    remove(request.approvalId)
  }

  const deny = (request: ApprovalRequest): void => {
    options.onDenied(request)
    options.answer(request.approvalId, { action: 'deny', message: 'Nobody is there to answer.' })
  }

  /** Before the last page, a line can only turn the page or deny. */
  const turnPage = (entry: Waiting, page: QuestionPage, line: string): void => {
    if (line === '') {
      entry.at += 1
      show(entry)
    } else if (isDenial(line)) decide(entry, { action: 'deny', by: 'person' })
    else options.remind(page)
  }

  return {
    add(approvalId) {
      const request = options.pending().find((each) => each.approvalId === approvalId)
      if (!request) return
      if (isUnattended) return deny(request)
      waiting.push({ request, pages: [], at: 0 })
      if (waiting.length === 1) void showFirst()
    },
    remove,
    answer(line, isPasted) {
      const [first] = waiting
      const page = first && pageOf(first)
      if (!first || !page) return false
      if (!page.isLast) turnPage(first, page, line)
      else {
        const next = page.prompt.read(line)
        if (next === undefined) options.remind(page)
        else if ('problem' in next) options.remind(page, next.problem)
        else if (isPasted && !isHarmless(page.prompt, line, next))
          options.remind(page, pastedAnswer)
        else if ('action' in next) decide(first, next)
        else setPrompt(first, next)
      }
      return true
    },
    isOpen: () => waiting.length > 0,
    denyAll() {
      isUnattended = true
      waiting.length = 0
      for (const request of options.pending()) deny(request)
    },
  }
}

const pastedAnswer = 'Pasted text cannot answer this. Type the answer.'

/** Whether a line may be the answer although it was pasted. */
const isHarmless = (
  prompt: ApprovalPrompt,
  line: string,
  next: ApprovalDecision | ApprovalPrompt,
): boolean => ('action' in next && next.action === 'deny') || prompt.acceptsPasted?.(line) === true

const pageOf = ({ prompt, pages, at }: Waiting): QuestionPage | undefined =>
  prompt && {
    prompt,
    rows: pages[at] ?? [],
    isFirst: at === 0,
    place: `page ${at + 1} of ${pages.length}`,
    isLast: at >= pages.length - 1,
  }
