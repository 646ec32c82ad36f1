import { useState } from 'react'
import type { ApprovalAnswer } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'

/** Sends an answer once. The card goes when the stream says that it is decided. */
export const useAnswer = (approvalId: string) => {
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

export type SendAnswer = ReturnType<typeof useAnswer>['answer']
