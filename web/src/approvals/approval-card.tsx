import { useId, useRef } from 'react'
import type { Approval, ApprovalAnswer, SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { Link } from '../parts/link.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Countdown } from '../parts/relative-time.tsx'
import { sessionPath } from '../state/route.ts'
import { DialogForm } from './dialog-form.tsx'
import { QuestionForm } from './question-form.tsx'
import { ToolForm } from './tool-form.tsx'
import { type SendAnswer, useAnswer } from './use-answer.ts'
import { useFocusNext } from './use-focus-next.ts'
import '../style/approval.css'

/** The parts of an approval that a card shows; in its session, the session id is known. */
type CardApproval = Omit<Approval, 'deadline' | 'sessionId' | 'createdAt'> & {
  readonly deadline?: number | undefined
}

interface Props {
  approval: CardApproval
  /** Shown as a link where the card stands outside its session. */
  session?: SessionInfo | undefined
}

/** Asks the user to decide on a tool call, or to answer a question of the agent. */
export const ApprovalCard = ({ approval, session }: Props) => {
  const titleId = useId()
  const { answer, isSending, problem } = useAnswer(approval.approvalId)
  const { deadline, reasoning } = approval
  const card = useRef<HTMLElement>(null)
  useFocusNext(card)
  const send = (body: ApprovalAnswer) => {
    // The buttons are disabled while the answer is sent, and would lose the focus.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true })
    answer(body)
  }
  return (
    <section className="approval" ref={card} tabIndex={-1} aria-labelledby={titleId}>
      <header>
        <h3 id={titleId}>{titleOf(approval)}</h3>
        {session && (
          <Link to={sessionPath(session.id)} className="approval-session">
            {sessionName(session)}
          </Link>
        )}
        {deadline !== undefined && (
          <span className="approval-time" title="Denied automatically if nobody answers in time">
            <Countdown until={deadline} /> left
          </span>
        )}
      </header>
      {reasoning !== undefined && <p className="approval-reason">{reasoning}</p>}
      <Form approval={approval} answer={send} isSending={isSending} />
      <ProblemMessage reason={problem} />
    </section>
  )
}

interface FormProps {
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

const Form = ({ approval, answer, isSending }: FormProps) => {
  const { dialog, questions, args, toolName } = approval
  if (dialog) return <DialogForm dialog={dialog} answer={answer} isSending={isSending} />
  if (questions) return <QuestionForm questions={questions} answer={answer} isSending={isSending} />
  return (
    <ToolForm toolName={toolName ?? 'tool'} args={args} answer={answer} isSending={isSending} />
  )
}

const titleOf = ({ kind, dialog, toolName }: CardApproval): string => {
  if (kind === 'question') return dialog?.title ?? 'The agent has a question'
  if (kind === 'plan') return 'Approve this plan?'
  return toolName === undefined ? 'Allow the agent to continue?' : `Allow ${toolName}?`
}
