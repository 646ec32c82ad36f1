import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { isTouch } from '../parts/is-touch.ts'
import { type DraftMessage, isImage } from './use-draft-message.ts'
import { usePromptHistory } from './use-prompt-history.ts'
import { useTypingElsewhere } from './use-typing-elsewhere.ts'

interface Props {
  draft: DraftMessage
  /** Whether the message can be sent now. */
  isSendable: boolean
  isWorking: boolean
  placeholder: string
  /** Whether the session is loaded: then the field takes the focus. */
  isLoaded: boolean
}

/** The text of the message. Enter sends it, Alt+Enter queues it, the arrow keys recall earlier ones. */
export const MessageField = ({ draft, isSendable, isWorking, placeholder, isLoaded }: Props) => {
  const { text, setText, attach, send } = draft
  const field = useRef<HTMLTextAreaElement>(null)
  const onHistoryKey = usePromptHistory(text, setText)
  useTypingElsewhere(field)
  useEffect(() => {
    // Most people open a session to write something, unless the agent waits for an approval.
    const isFree = document.activeElement === document.body && !document.querySelector('.approval')
    if (isLoaded && isFree && !isTouch()) field.current?.focus()
  }, [isLoaded])

  const onPaste = (event: ClipboardEvent) => {
    const images = [...event.clipboardData.files].filter(isImage)
    // Cells of a spreadsheet are copied both as text and as an image; the text is meant.
    if (images.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    attach(images)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing)
      return onHistoryKey(event)
    if (isTouch() && !event.altKey) return // on a touch screen, Enter is a new line
    event.preventDefault()
    if (isSendable) send(event.altKey ? 'later' : 'now')
  }
  return (
    <textarea
      ref={field}
      value={text}
      rows={1}
      dir="auto"
      placeholder={placeholder}
      aria-label={isWorking ? 'Steer the agent' : 'Message to the agent'}
      enterKeyHint="send"
      onChange={(event) => setText(event.target.value)}
      onPaste={onPaste}
      onKeyDown={onKeyDown}
    />
  )
}
