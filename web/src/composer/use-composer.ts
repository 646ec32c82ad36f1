import { useRef, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import type { DraftImage } from '../state/drafts.ts'
import { readImages } from './read-images.ts'

/** What is being said: kept while it is typed, and given back when the agent did not take it. */
export const useComposer = (id: string, isWorking: boolean) => {
  const { client, drafts, toasts } = useApp()
  const [text, setText] = useState(() => drafts.text(id))
  const [images, setImages] = useState<readonly DraftImage[]>(() => drafts.images(id))
  /** How many messages are on their way. */
  const [sending, setSending] = useState(0)
  const last = useRef(Promise.resolve())

  const write = (words: string) => {
    setText(words)
    drafts.store(id, words)
  }
  const keepImages = (kept: readonly DraftImage[]) => {
    setImages(kept)
    drafts.storeImages(id, kept)
  }
  const attach = (files: readonly File[]): void => {
    const chosen = files.filter(isImage)
    if (chosen.length < files.length) toasts.show('Only images can be attached.')
    if (chosen.length === 0) return
    readImages(chosen).then(
      (read) => keepImages([...drafts.images(id), ...read].slice(0, imageLimit)),
      toasts.showError('Could not read the image'),
    )
  }
  /** In front of what was written meanwhile. */
  const giveBack = (said: string, sent: readonly DraftImage[]) => {
    const since = drafts.text(id)
    write(since === '' ? said : `${said}\n${since}`)
    keepImages([...sent, ...drafts.images(id)].slice(0, imageLimit))
  }
  const send = (when: 'now' | 'later') => {
    const said = text.trim()
    if (said === '') return
    const { prompt, steer, followUp } = client.sessions
    // One that comes right behind another finds the agent at work.
    const isBusy = isWorking || sending > 0
    const call = isBusy ? (when === 'later' ? followUp : steer) : prompt
    const body = { text: said, ...(images.length > 0 && { images: [...images] }) }
    write('')
    keepImages([])
    setSending((before) => before + 1)
    last.current = last.current
      .then(() => call(id, body))
      .then(
        () => drafts.addToHistory(said),
        (cause: unknown) => {
          giveBack(said, images)
          toasts.showError('Could not send the message')(cause)
        },
      )
      .finally(() => setSending((before) => before - 1))
  }
  return {
    text,
    images,
    isSending: sending > 0,
    write,
    attach,
    detach: (index: number) => keepImages(images.filter((_, place) => place !== index)),
    send,
  }
}

const imageLimit = 20

export const isImage = ({ type }: File): boolean => type.startsWith('image/')
