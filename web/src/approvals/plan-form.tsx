import { useCallback, useId, useRef, useState } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import type { CardApproval } from './approval-card.tsx'
import { shownArgs, UnshownArgs } from './args-list.tsx'
import { Hotkey } from './decision-buttons.tsx'
import { ReadHint } from './read-hint.tsx'
import { ReplyForm } from './reply-form.tsx'
import { RequestBox } from './request-box.tsx'
import type { SendAnswer } from './use-answer.ts'
import { useHotkeys } from './use-hotkeys.ts'
import { Warnings } from './warnings.tsx'

interface Props {
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

/** Decides on a plan. It can be approved once its end has been on the screen. */
export const PlanForm = ({ approval, answer, isSending }: Props) => {
  const { plan, canAcceptEdits = false } = approval
  const others = shownArgs(approval.args).filter(({ text }) => text !== plan)
  const [isReplying, setReplying] = useState(false)
  const [wasReplying, setWasReplying] = useState(false)
  const [isSeen, setSeen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const onSeen = useCallback(() => setSeen(true), [])
  const approve = () => answer({ action: 'allow' })
  const approveAndAcceptEdits = () => answer({ action: 'allow', acceptEdits: true })
  const goBack = () => {
    setReplying(false)
    setWasReplying(true)
  }
  useHotkeys(root, !isReplying && !isSending, {
    r: () => setReplying(true),
    ...(isSeen && { a: approve }),
    ...(isSeen && canAcceptEdits && { e: approveAndAcceptEdits }),
  })
  return (
    <div className="approval-tool approval-plan" ref={root}>
      <Warnings texts={[plan ?? '', ...others.flatMap(({ name, text }) => [name, text])]} />
      <RequestBox label="Plan" onSeen={onSeen}>
        {plan === undefined ? (
          <p className="request-note">
            The agent did not send its plan. Look for it in the conversation.
          </p>
        ) : (
          <Markdown text={plan} isStreaming={false} />
        )}
        <UnshownArgs args={others} />
      </RequestBox>
      {isReplying ? (
        <ReplyForm
          isSending={isSending}
          onCancel={goBack}
          onReply={(message) => answer({ action: 'deny', ...(message !== '' && { message }) })}
        />
      ) : (
        <PlanButtons
          isSending={isSending}
          isSeen={isSeen}
          canAcceptEdits={canAcceptEdits}
          focusesReply={wasReplying}
          root={root}
          onApprove={approve}
          onApproveAndAcceptEdits={approveAndAcceptEdits}
          onReply={() => setReplying(true)}
        />
      )}
    </div>
  )
}

interface ButtonProps {
  isSending: boolean
  isSeen: boolean
  canAcceptEdits: boolean
  /** Whether the reply was just closed: its button gets the focus. */
  focusesReply: boolean
  root: { readonly current: HTMLElement | null }
  onApprove: () => void
  onApproveAndAcceptEdits: () => void
  onReply: () => void
}

const PlanButtons = (props: ButtonProps) => {
  const { isSending, isSeen, root } = props
  const hintId = useId()
  const approving = {
    type: 'button',
    disabled: isSending || !isSeen,
    'aria-describedby': isSeen ? undefined : hintId,
  } as const
  return (
    <div className="approval-buttons">
      <button
        {...approving}
        className="primary"
        // The second click of a double click may have been meant for a card that is gone.
        onClick={({ detail }) => detail < 2 && props.onApprove()}
      >
        Approve <Hotkey letter="A" />
      </button>
      {props.canAcceptEdits && (
        <button
          {...approving}
          title="The agent then edits files of the project without a request"
          onClick={({ detail }) => detail < 2 && props.onApproveAndAcceptEdits()}
        >
          Approve and accept edits <Hotkey letter="E" />
        </button>
      )}
      <button
        type="button"
        // biome-ignore lint/a11y/noAutofocus: only right after the reply was closed.
        autoFocus={props.focusesReply}
        disabled={isSending}
        onClick={props.onReply}
      >
        Reply… <Hotkey letter="R" />
      </button>
      {!isSeen && <ReadHint id={hintId} root={root} />}
    </div>
  )
}
