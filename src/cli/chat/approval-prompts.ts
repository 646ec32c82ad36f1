import type { ApprovalDecision } from '../../session/conversation/session.ts'
import { type ApprovalPrompt, type ApprovalRequest, promptFor } from './approval-prompt.ts'

export interface ApprovalPromptsOptions {
  /** The requests that wait for an answer. */
  pending(): readonly ApprovalRequest[]
  answer(approvalId: string, decision: ApprovalDecision): void
  show(prompt: ApprovalPrompt): void
  /** Repeats what can be typed, after a line that is not an answer. */
  remind(prompt: ApprovalPrompt): void
  /** Called when a request is denied because the input has ended. */
  onDenied(prompt: ApprovalPrompt): void
}

/** The approvals that a person must answer, one at a time, in the order of the requests. */
export interface ApprovalPrompts {
  /** Adds a request. One that a policy has decided already is not shown. */
  add(approvalId: string): void
  /** Removes a request that was decided; false when it was not waiting here. */
  remove(approvalId: string): boolean
  /** Uses a typed line as the answer to the prompt on the screen; false when there is none. */
  answer(line: string): boolean
  /** Denies what waits, and every later request: nobody can answer any more. */
  denyAll(): void
}

export const createApprovalPrompts = (options: ApprovalPromptsOptions): ApprovalPrompts => {
  const waiting: { approvalId: string; prompt: ApprovalPrompt }[] = []
  let isUnattended = false

  const remove = (approvalId: string): boolean => {
    const at = waiting.findIndex((each) => each.approvalId === approvalId)
    if (at < 0) return false
    waiting.splice(at, 1)
    const [first] = waiting
    if (at === 0 && first) options.show(first.prompt)
    return true
  }

  const deny = (request: ApprovalRequest): void => {
    options.onDenied(promptFor(request))
    options.answer(request.approvalId, { action: 'deny', message: 'Nobody is there to answer.' })
  }

  return {
    add(approvalId) {
      const request = options.pending().find((each) => each.approvalId === approvalId)
      if (!request) return
      if (isUnattended) return deny(request)
      const prompt = promptFor(request)
      waiting.push({ approvalId, prompt })
      if (waiting.length === 1) options.show(prompt)
    },
    remove,
    answer(line) {
      const [first] = waiting
      if (!first) return false
      const next = first.prompt.read(line)
      if (next === undefined) options.remind(first.prompt)
      else if ('action' in next) {
        options.answer(first.approvalId, next)
        remove(first.approvalId)
      } else {
        first.prompt = next
        options.show(next)
      }
      return true
    },
    denyAll() {
      isUnattended = true
      waiting.length = 0
      for (const request of options.pending()) deny(request)
    },
  }
}
