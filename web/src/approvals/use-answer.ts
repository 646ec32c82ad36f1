import { useState } from 'react'
import type { ApprovalAnswer } from '../../../src/api/index.ts'
import { ApiError } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import type { CardApproval } from './approval-card.tsx'

export type SendAnswer = (body: Omit<ApprovalAnswer, 'hash'>) => void

interface AnswerState {
  /** The request to decide: the given one, or a newer one if it has changed meanwhile. */
  readonly request: CardApproval
  readonly answer: SendAnswer
  readonly isSending: boolean
  /** Why the answer could not be sent. */
  readonly problem: string | undefined
}

/**
 * Sends one answer to an approval, with the hash of what the user saw. The card disappears when the
 * stream reports the decision.
 */
export const useAnswer = (approval: CardApproval): AnswerState => {
  const { client } = useApp()
  const [newer, setNewer] = useState<CardApproval>()
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const request = newer ?? approval
  const { approvalId, hash } = request

  const fail = (cause: unknown) => {
    setSending(false)
    setProblem(reasonOf(cause))
  }
  const showCurrent = async () => {
    const pending = await client.approvals.list()
    setNewer(pending.find((each) => each.approvalId === approvalId))
    setSending(false)
    setProblem('The request has changed, so nothing was decided. Read it again.')
  }
  const answer: SendAnswer = (body) => {
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    const whole = { ...body, ...(hash !== undefined && { hash }) }
    withPasskey(client, { kind: 'approval', id: approvalId }, (options) =>
      client.approvals.answer(approvalId, whole, options),
    ).catch((cause: unknown) => {
      if (!(cause instanceof ApiError) || cause.code !== 'approval_changed') return fail(cause)
      return showCurrent().catch(fail)
    })
  }
  return { request, answer, isSending, problem }
}
