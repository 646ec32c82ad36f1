import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useApp } from '../app/use-app.ts'

interface Props {
  sessionId: string
  messageId: string
  text: string
  onUnsaved: (text: string) => void
  onDone: () => void
}

/** Edits a message of the queue. If it was sent meanwhile, the text goes back to the composer. */
export const QueueEditForm = ({ sessionId, messageId, text, onUnsaved, onDone }: Props) => {
  const { client, toasts } = useApp()
  const [edited, setEdited] = useState(text)
  const unsaved = useRef<string | undefined>(undefined)
  const change = (next: string) => {
    setEdited(next)
    unsaved.current = next
  }
  const close = () => {
    unsaved.current = undefined
    onDone()
  }
  const latest = useRef(onUnsaved)
  latest.current = onUnsaved
  useEffect(
    () => () => {
      // The message left the queue while it was edited.
      if (unsaved.current === undefined) return
      toasts.show('The message was sent before your change. Your text is in the message field.')
      latest.current(unsaved.current)
    },
    [toasts],
  )
  const save = (event?: FormEvent) => {
    event?.preventDefault()
    const next = edited.trim()
    close()
    if (next === '' || next === text) return
    client.sessions.editQueued(sessionId, messageId, next).catch((cause: unknown) => {
      toasts.showError('Could not change the message')(cause)
      onUnsaved(next)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      save()
    }
  }
  return (
    <form className="queue-edit" onSubmit={save}>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person pressed Edit.
        autoFocus
        value={edited}
        rows={1}
        dir="auto"
        aria-label="Edit the queued message"
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="queue-actions">
        <button type="submit" className="primary" disabled={edited.trim() === ''}>
          Save
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </span>
    </form>
  )
}
