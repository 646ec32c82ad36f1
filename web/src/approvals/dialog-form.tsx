import { type FormEvent, useCallback, useId, useRef, useState } from 'react'
import type { Approval } from '../../../src/api/index.ts'
import { Revealed } from '../parts/revealed.tsx'
import type { CardApproval } from './approval-card.tsx'
import { CancelButton } from './cancel-button.tsx'
import { isLongName } from './is-long-name.ts'
import { ReadHint } from './read-hint.tsx'
import { RequestBox } from './request-box.tsx'
import type { SendAnswer } from './use-answer.ts'

type ApprovalDialog = NonNullable<Approval['dialog']>

interface Props {
  dialog: ApprovalDialog
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

/** A question of an extension: yes or no, a choice, a line or a longer text. */
export const DialogForm = ({ dialog, approval, answer, isSending }: Props) => {
  const { kind, options = [], placeholder, prefill = '' } = dialog
  const message = messageOf(dialog)
  const [value, setValue] = useState(kind === 'select' ? '' : prefill)
  const name = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    answer({ action: 'allow', ...(kind !== 'confirm' && { value }) })
  }
  const [isSeen, setSeen] = useState(message === undefined)
  const root = useRef<HTMLFormElement>(null)
  const hintId = useId()
  const onSeen = useCallback(() => setSeen(true), [])
  const isReady = isSeen && (kind !== 'select' || value !== '')
  return (
    <form className="approval-form" onSubmit={submit} ref={root}>
      {message !== undefined && (
        <RequestBox label="Message" onSeen={onSeen}>
          <p className="approval-message">
            <Revealed text={message} isCollapsed />
          </p>
        </RequestBox>
      )}
      {kind === 'select' && (
        <fieldset>
          <legend className="visually-hidden">Choose an answer</legend>
          {options.map((option) => (
            <label key={option} className="choice">
              <input
                type="radio"
                name={name}
                value={option}
                checked={option === value}
                onChange={() => setValue(option)}
              />
              <span>
                <Revealed text={option} isCollapsed />
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {kind === 'input' && (
        <input
          aria-label="Answer"
          value={value}
          placeholder={placeholder}
          onChange={(event) => setValue(event.target.value)}
          autoComplete="off"
        />
      )}
      {kind === 'editor' && (
        <textarea
          aria-label="Answer"
          className="mono"
          rows={8}
          value={value}
          placeholder={placeholder}
          onChange={(event) => setValue(event.target.value)}
        />
      )}
      <div className="approval-buttons">
        <button
          type="submit"
          className="primary"
          disabled={isSending || !isReady}
          aria-describedby={isSeen ? undefined : hintId}
        >
          {kind === 'confirm' ? 'Yes' : 'Answer'}
        </button>
        <button type="button" disabled={isSending} onClick={() => answer({ action: 'deny' })}>
          {kind === 'confirm' ? 'No' : 'Cancel'}
        </button>
        <CancelButton options={approval.options ?? []} answer={answer} isSending={isSending} />
        {!isSeen && <ReadHint id={hintId} root={root} />}
      </div>
    </form>
  )
}

/** The message of a dialog, with its title if that is too long for the head of the card. */
const messageOf = ({ title, message }: ApprovalDialog): string | undefined =>
  isLongName(title) ? [title, message].filter((text) => text !== undefined).join('\n\n') : message
