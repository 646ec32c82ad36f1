import { type FormEvent, useRef, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { useRestoreFocus } from '../parts/use-restore-focus.ts'

interface Props {
  id: string
  /** The name that the user gave it; '' if none. */
  name: string
  /** What the session is called without that name. */
  defaultName: string | undefined
  onDone: () => void
}

/** Renames a session. An empty name restores the default one; only Escape cancels. */
export const RenameForm = ({ id, name, defaultName, onDone }: Props) => {
  const { client, toasts } = useApp()
  const [text, setText] = useState(name)
  const isDone = useRef(false)
  useRestoreFocus()
  /** Runs once: the field also loses the focus when it is removed. */
  const finish = (newName: string) => {
    if (isDone.current) return
    isDone.current = true
    onDone()
    if (newName === name) return
    client.sessions
      .update(id, { name: newName === '' ? null : newName })
      .catch(toasts.showError('Could not rename the session'))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    finish(text.trim())
  }
  return (
    <form className="rename" onSubmit={submit}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
        autoFocus
        aria-label="Session name"
        value={text}
        placeholder={defaultName}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => finish(text.trim())}
        onKeyDown={(event) => event.key === 'Escape' && finish(name)}
        onFocus={(event) => event.target.select()}
      />
    </form>
  )
}
