import { useId, useRef } from 'react'
import type { Approval, SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { fieldsOf } from '../../../src/shared/fields.ts'
import { Link } from '../parts/link.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Countdown } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { sessionPath } from '../state/route.ts'
import { BudgetForm } from './budget-form.tsx'
import { DialogForm } from './dialog-form.tsx'
import { isLongName } from './is-long-name.ts'
import { PlanForm } from './plan-form.tsx'
import { QuestionForm } from './question-form.tsx'
import { ToolForm } from './tool-form.tsx'
import { UrlForm } from './url-form.tsx'
import { type SendAnswer, useAnswer } from './use-answer.ts'
import { useFocusNext } from './use-focus-next.ts'
import '../style/approval.css'

/** The parts of an approval that a card shows; in its session, the session id is known. */
export type CardApproval = Omit<Approval, 'sessionId' | 'createdAt'>

interface Props {
  approval: CardApproval
  /** Shown as a link where the card stands outside its session. */
  session?: SessionInfo | undefined
}

/** Asks the user to decide on a tool call, or to answer a question of the agent. */
export const ApprovalCard = ({ approval, session }: Props) => {
  const titleId = useId()
  const { request, answer, isSending, problem } = useAnswer(approval)
  const { deadline, reasoning } = request
  const card = useRef<HTMLElement>(null)
  useFocusNext(card)
  const send: SendAnswer = (body) => {
    // The buttons are disabled while the answer is sent, and would lose the focus.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true })
    answer(body)
  }
  return (
    <section className="approval" ref={card} tabIndex={-1} aria-labelledby={titleId}>
      <header>
        <h3 id={titleId}>
          <Revealed text={titleOf(request)} isCollapsed />
        </h3>
        {session && (
          <Link to={sessionPath(session.id)} className="approval-session">
            <Revealed text={sessionName(session)} isCollapsed />
          </Link>
        )}
        {deadline === undefined ? (
          <span className="approval-time">Waits until you answer</span>
        ) : (
          <span className="approval-time" title="Denied automatically if nobody answers in time">
            <Countdown until={deadline} /> left
          </span>
        )}
      </header>
      {reasoning !== undefined && !isRepeated(reasoning, request.args) && (
        <p className="approval-reason">
          <span className="approval-source">The agent’s reason: </span>
          <Revealed text={reasoning} isCollapsed />
        </p>
      )}
      <Form key={request.hash} approval={request} answer={send} isSending={isSending} />
      <ProblemMessage reason={problem} />
    </section>
  )
}

/** Some agents repeat the command or the end of the path as the reason. */
const isRepeated = (reasoning: string, args: unknown): boolean =>
  Object.values(fieldsOf(args)).some(
    (value) => typeof value === 'string' && value.endsWith(reasoning),
  )

interface FormProps {
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

const Form = ({ approval, answer, isSending }: FormProps) => {
  const { kind, dialog, questions, budget } = approval
  if (budget) return <BudgetForm budget={budget} answer={answer} isSending={isSending} />
  const given = { approval, answer, isSending }
  if (questions) return <QuestionForm questions={questions} {...given} />
  if (dialog?.url !== undefined) return <UrlForm url={dialog.url} {...given} />
  if (dialog) return <DialogForm dialog={dialog} {...given} />
  if (kind === 'plan') return <PlanForm approval={approval} answer={answer} isSending={isSending} />
  return <ToolForm approval={approval} answer={answer} isSending={isSending} />
}

const titleOf = ({ kind, dialog, toolName }: CardApproval): string => {
  if (kind === 'question')
    return isLongName(dialog?.title) ? agentAsks : (dialog?.title ?? agentAsks)
  if (kind === 'plan') return 'Approve this plan?'
  if (kind === 'budget') return 'Budget reached'
  if (isLongName(toolName)) return 'Allow this tool?'
  return toolName === undefined ? 'Allow the agent to continue?' : `Allow ${toolName}?`
}

const agentAsks = 'The agent has a question'
