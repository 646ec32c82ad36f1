import { type FormEvent, useRef, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { useFocusBack } from '../parts/use-focus-back.ts'

interface Props {
  id: string
  /** What it was called by a person; '' where it was not. */
  name: string
  /** What it is called without a name. */
  otherwise: string | undefined
  onDone: () => void
}

/** Another name for a session; an empty one takes the name away. Only Escape leaves it as it was. */
export const RenameForm = ({ id, name, otherwise, onDone }: Props) => {
  const { client, toasts } = useApp()
  const [text, setText] = useState(name)
  const isOver = useRef(false)
  useFocusBack()
  /** Once: the field that goes away loses the focus, too. */
  const end = (wanted: string) => {
    if (isOver.current) return
    isOver.current = true
    onDone()
    if (wanted === name) return
    client.sessions
      .update(id, { name: wanted === '' ? null : wanted })
      .catch(toasts.showError('Could not rename the session'))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    end(text.trim())
  }
  return (
    <form className="rename" onSubmit={submit}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
        autoFocus
        aria-label="Session name"
        value={text}
        placeholder={otherwise}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => end(text.trim())}
        onKeyDown={(event) => event.key === 'Escape' && end(name)}
        onFocus={(event) => event.target.select()}
      />
    </form>
  )
}
