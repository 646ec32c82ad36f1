import { useRef, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import type { DraftImage } from '../state/drafts.ts'
import { readImages } from './read-images.ts'

/** The message that the user is writing. */
export interface DraftMessage {
  readonly text: string
  readonly images: readonly DraftImage[]
  /** Whether a message is on its way to the server. */
  readonly isSending: boolean
  setText(text: string): void
  /** Attaches the images among some files, and says so if other files are left out. */
  attach(files: readonly File[]): void
  detach(index: number): void
  /** Puts a text that could not be sent in front of the message. */
  putBack(text: string): void
  /** Sends the message: to the agent's next step, or after the current run. */
  send(when: 'now' | 'later'): void
}

/** Stores the draft of a session while it is typed, and restores it if sending fails. */
export const useDraftMessage = (sessionId: string, isWorking: boolean): DraftMessage => {
  const { client, drafts, toasts } = useApp()
  const [text, setTextState] = useState(() => drafts.text(sessionId))
  const [images, setImagesState] = useState(() => drafts.images(sessionId))
  const [sendingCount, setSendingCount] = useState(0)
  const lastSend = useRef(Promise.resolve())

  const setText = (next: string) => {
    setTextState(next)
    drafts.store(sessionId, next)
  }
  const setImages = (next: readonly DraftImage[]) => {
    setImagesState(next)
    drafts.storeImages(sessionId, next)
  }
  const attach = (files: readonly File[]) => {
    const chosen = files.filter(isImage)
    if (chosen.length < files.length) toasts.show('Only images can be attached.')
    if (chosen.length === 0) return
    readImages(chosen).then(
      (read) => setImages([...drafts.images(sessionId), ...read].slice(0, imageLimit)),
      toasts.showError('Could not read the image'),
    )
  }
  /** Puts an unsent message in front of what was typed since. */
  const restore = (unsent: string, unsentImages: readonly DraftImage[]) => {
    const typedSince = drafts.text(sessionId)
    setText(typedSince === '' ? unsent : `${unsent}\n${typedSince}`)
    setImages([...unsentImages, ...drafts.images(sessionId)].slice(0, imageLimit))
  }
  const send = (when: 'now' | 'later') => {
    const message = text.trim()
    if (message === '') return
    const { prompt, steer, followUp } = client.sessions
    // The message before this one starts a run, so the agent is busy when this one arrives.
    const isBusy = isWorking || sendingCount > 0
    const request = isBusy ? (when === 'later' ? followUp : steer) : prompt
    const body = { text: message, ...(images.length > 0 && { images: [...images] }) }
    setText('')
    setImages([])
    setSendingCount((count) => count + 1)
    // One after the other, so that messages arrive in the order in which they were sent.
    lastSend.current = lastSend.current
      .then(() => request(sessionId, body))
      .then(
        () => drafts.addToHistory(message),
        (cause: unknown) => {
          restore(message, images)
          toasts.showError('Could not send the message')(cause)
        },
      )
      .finally(() => setSendingCount((count) => count - 1))
  }
  const detach = (index: number) => setImages(images.filter((_, other) => other !== index))
  return {
    text,
    images,
    isSending: sendingCount > 0,
    setText,
    attach,
    detach,
    send,
    putBack: (unsent) => restore(unsent, []),
  }
}

const imageLimit = 20

export const isImage = ({ type }: File): boolean => type.startsWith('image/')
