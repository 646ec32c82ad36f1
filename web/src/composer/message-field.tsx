import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import type { AgentCommand } from '../../../src/events/types.ts'
import { isTouch } from '../parts/is-touch.ts'
import { choiceId, MentionList } from './mention-list.tsx'
import type { DraftMessage } from './use-draft-message.ts'
import { useMentions } from './use-mentions.ts'
import { usePromptHistory } from './use-prompt-history.ts'
import { useTypingElsewhere } from './use-typing-elsewhere.ts'

interface Props {
  draft: DraftMessage
  /** What the agent offers by name. */
  commands: readonly AgentCommand[]
  /** Whether the message can be sent now. */
  isSendable: boolean
  /** What the field is for, to screen readers. */
  label: string
  placeholder: string
  /** Whether the session is loaded: then the field takes the focus. */
  isLoaded: boolean
}

/** The text of the message. Enter sends it, Alt+Enter queues it, the arrow keys recall earlier ones. */
export const MessageField = (props: Props) => {
  const { draft, commands, isSendable, label, placeholder, isLoaded } = props
  const { text, setText, attached, send } = draft
  const field = useRef<HTMLTextAreaElement>(null)
  const onHistoryKey = usePromptHistory(text, setText)
  const offered = useMentions(field, commands, text, setText)
  useTypingElsewhere(field)
  useEffect(() => {
    // Most people open a session to write something, unless the agent waits for an approval.
    const isFree = document.activeElement === document.body && !document.querySelector('.approval')
    if (isLoaded && isFree && !isTouch()) field.current?.focus()
  }, [isLoaded])

  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    // Cells of a spreadsheet are copied both as text and as an image; the text is meant.
    if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    attached.attach(files)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (offered.onKey(event)) return event.preventDefault()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing)
      return onHistoryKey(event)
    if (isTouch() && !event.altKey) return // on a touch screen, Enter is a new line
    event.preventDefault()
    if (isSendable) send(event.altKey ? 'later' : 'now')
  }
  const isOffering = offered.choices.length > 0
  return (
    <>
      <MentionList offered={offered} />
      <textarea
        ref={field}
        value={text}
        rows={1}
        dir="auto"
        placeholder={placeholder}
        aria-label={label}
        enterKeyHint="send"
        aria-autocomplete="list"
        aria-controls={isOffering ? offered.listId : undefined}
        aria-activedescendant={isOffering ? choiceId(offered.listId, offered.active) : undefined}
        onChange={(event) => {
          setText(event.target.value)
          offered.onCursor()
        }}
        onSelect={offered.onCursor}
        onPaste={onPaste}
        onKeyDown={onKeyDown}
      />
    </>
  )
}
