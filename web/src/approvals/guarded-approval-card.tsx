import type { ComponentProps } from 'react'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { textOf } from '../parts/shown-as-text.tsx'
import { ApprovalCard, type CardApproval } from './approval-card.tsx'
import { useAnswer } from './use-answer.ts'
import '../style/shown-as-text.css'

/** An approval card. When it cannot be drawn, the request is shown as text and can only be denied. */
export const GuardedApprovalCard = (props: ComponentProps<typeof ApprovalCard>) => (
  <ErrorBoundary subject={props.approval} fallback={<PlainApproval approval={props.approval} />}>
    <ApprovalCard {...props} />
  </ErrorBoundary>
)

const PlainApproval = ({ approval }: { approval: CardApproval }) => {
  const { answer, isSending, problem } = useAnswer(approval)
  return (
    <section className="approval shown-as-text" aria-label="A request that cannot be shown">
      <p>This request cannot be shown, so it can only be denied.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable. */}
      <pre tabIndex={0}>{textOf(approval)}</pre>
      <div className="approval-buttons">
        <button
          type="button"
          disabled={isSending}
          onClick={() => answer({ action: 'deny', message: 'The request could not be shown.' })}
        >
          Deny
        </button>
      </div>
      <ProblemMessage reason={problem} />
    </section>
  )
}
