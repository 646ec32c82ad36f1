import { type FormEvent, useState } from 'react'

interface Props {
  isSending: boolean
  onDeny: (message: string) => void
  onCancel: () => void
}

/** Denies a tool call, with an optional reason for the agent. */
export const DenyForm = ({ isSending, onDeny, onCancel }: Props) => {
  const [message, setMessage] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDeny(message.trim())
  }
  return (
    <form className="approval-form" onSubmit={submit}>
      <label>
        Tell the agent why <span className="optional">optional</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
          autoFocus
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && onCancel()}
          autoComplete="off"
        />
      </label>
      <div className="approval-buttons">
        <button type="submit" className="primary" disabled={isSending}>
          Deny
        </button>
        <button type="button" onClick={onCancel}>
          Back
        </button>
      </div>
    </form>
  )
}
