import type { ApprovalDecision } from '../../session/conversation/approvals.ts'
import { type Ask, askOf, type Request } from './ask.ts'

export interface AskingOptions {
  /** The requests that wait for an answer. */
  pending(): readonly Request[]
  answer(approvalId: string, decision: ApprovalDecision): void
  show(ask: Ask): void
  /** A line that answers nothing: says what does. */
  remind(ask: Ask): void
  /** A request was refused, because nobody is there. */
  onRefused(ask: Ask): void
}

/** Requests that a person is asked, one at a time: what is typed answers the one that is shown. */
export const createAsking = (options: AskingOptions) => {
  const waiting: { approvalId: string; ask: Ask }[] = []
  let isAlone = false

  /** False when nobody was asked. */
  const drop = (approvalId: string): boolean => {
    const at = waiting.findIndex((each) => each.approvalId === approvalId)
    if (at < 0) return false
    waiting.splice(at, 1)
    const [first] = waiting
    if (at === 0 && first) options.show(first.ask)
    return true
  }

  const refuse = (request: Request): void => {
    options.onRefused(askOf(request))
    options.answer(request.approvalId, { action: 'deny', message: 'Nobody is there to answer.' })
  }

  const add = (request: Request): void => {
    const ask = askOf(request)
    waiting.push({ approvalId: request.approvalId, ask })
    if (waiting.length === 1) options.show(ask)
  }

  return {
    /** The agent asks. What a rule has decided already is asked of nobody. */
    requested(approvalId: string): void {
      const request = options.pending().find((each) => each.approvalId === approvalId)
      if (!request) return
      if (isAlone) refuse(request)
      else add(request)
    },
    /** It is decided, by whomever; false when nobody was asked. */
    resolved: drop,
    /** Takes a line for an answer; false when nothing is asked. */
    take(line: string): boolean {
      const [first] = waiting
      if (!first) return false
      const read = first.ask.read(line)
      if (read === undefined) options.remind(first.ask)
      else if ('action' in read) {
        options.answer(first.approvalId, read)
        drop(first.approvalId)
      } else {
        first.ask = read
        options.show(read)
      }
      return true
    },
    /** Nobody answers any more: what is asked now, and from now on, is refused. */
    leave(): void {
      isAlone = true
      waiting.length = 0
      for (const request of options.pending()) refuse(request)
    },
  }
}
