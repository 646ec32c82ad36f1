import { useRef, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { type Attached, bodyOf, type DraftAttachments, useAttachments } from './use-attachments.ts'

/** The message that the user is writing. */
export interface DraftMessage {
  readonly text: string
  readonly attached: DraftAttachments
  /** Whether a message is on its way to the server. */
  readonly isSending: boolean
  setText(text: string): void
  /** Puts a text that could not be sent in front of the message. */
  putBack(text: string): void
  /** Sends the message: to the agent's next step if it can read it there, or after the current run. */
  send(when: 'now' | 'later'): void
}

/** Stores the draft of a session while it is typed, and restores it if sending fails. */
export const useDraftMessage = (
  sessionId: string,
  { isWorking, canSteer }: { isWorking: boolean; canSteer: boolean },
): DraftMessage => {
  const { client, drafts, toasts } = useApp()
  const [text, setTextState] = useState(() => drafts.text(sessionId))
  const attached = useAttachments(sessionId)
  const [sendingCount, setSendingCount] = useState(0)
  const lastSend = useRef(Promise.resolve())

  const setText = (next: string) => {
    setTextState(next)
    drafts.store(sessionId, next)
  }
  /** Puts an unsent message in front of what was typed since. */
  const restore = (unsent: string, unsentFiles: Attached) => {
    const typedSince = drafts.text(sessionId)
    setText(typedSince === '' ? unsent : `${unsent}\n${typedSince}`)
    attached.restore(unsentFiles)
  }
  const send = (when: 'now' | 'later') => {
    const message = text.trim()
    if (message === '') return
    const { prompt, steer, followUp } = client.sessions
    // The message before this one starts a run, so the agent is busy when this one arrives.
    const isBusy = isWorking || sendingCount > 0
    const request = isBusy ? (when === 'later' || !canSteer ? followUp : steer) : prompt
    const sent = attached.take()
    const body = { text: message, ...bodyOf(sent) }
    setText('')
    setSendingCount((count) => count + 1)
    // One after the other, so that messages arrive in the order in which they were sent.
    lastSend.current = lastSend.current
      .then(() => request(sessionId, body))
      .then(
        () => drafts.addToHistory(message),
        (cause: unknown) => {
          restore(message, sent)
          toasts.showError('Could not send the message')(cause)
        },
      )
      .finally(() => setSendingCount((count) => count - 1))
  }
  return {
    text,
    attached,
    isSending: sendingCount > 0,
    setText,
    send,
    putBack: (unsent) => restore(unsent, { images: [], files: [] }),
  }
}
