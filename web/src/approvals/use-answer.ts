import { useState } from 'react'
import type { ApprovalAnswer } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'

export type SendAnswer = (body: ApprovalAnswer) => void

interface AnswerState {
  readonly answer: SendAnswer
  readonly isSending: boolean
  /** Why the answer could not be sent. */
  readonly problem: string | undefined
}

/** Sends one answer to an approval. The card disappears when the stream reports the decision. */
export const useAnswer = (approvalId: string): AnswerState => {
  const { client } = useApp()
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const answer = (body: ApprovalAnswer) => {
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    client.approvals.answer(approvalId, body).catch((cause: unknown) => {
      setSending(false)
      setProblem(reasonOf(cause))
    })
  }
  return { answer, isSending, problem }
}
