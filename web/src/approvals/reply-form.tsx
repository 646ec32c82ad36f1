import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { isTouch } from '../parts/is-touch.ts'

interface Props {
  isSending: boolean
  onReply: (message: string) => void
  onCancel: () => void
}

/** Rejects a plan, and says what should change. The agent goes on planning. */
export const ReplyForm = ({ isSending, onReply, onCancel }: Props) => {
  const [message, setMessage] = useState('')
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (!isSending) onReply(message.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of an input method, and keys held down since before, are not meant for the form.
    if (event.nativeEvent.isComposing || event.repeat) return
    if (event.key === 'Escape') return onCancel()
    // On a touch screen, Enter is a new line.
    if (event.key === 'Enter' && !event.shiftKey && !isTouch()) submit(event)
  }
  return (
    <form className="approval-form" onSubmit={submit}>
      <label>
        What should change? <span className="optional">optional</span>
        <textarea
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
          autoFocus
          rows={2}
          dir="auto"
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className="approval-buttons">
        <button type="submit" className="primary" disabled={isSending}>
          Reply
        </button>
        <button type="button" onClick={onCancel}>
          Back
        </button>
      </div>
    </form>
  )
}
