import { useState } from 'react'
import { useApp } from '../app/context.ts'
import type { DraftImage } from '../stores/drafts.ts'
import { readImages } from './read-images.ts'

/** What is being said: kept while it is typed, gone when the agent has taken it. */
export const useComposer = (id: string, isWorking: boolean) => {
  const { client, drafts, toasts } = useApp()
  const [text, setText] = useState(() => drafts.text(id))
  const [images, setImages] = useState<readonly DraftImage[]>(() => drafts.images(id))
  const [isSending, setSending] = useState(false)

  const write = (words: string) => {
    setText(words)
    drafts.keep(id, words)
  }
  const keepImages = (kept: readonly DraftImage[]) => {
    setImages(kept)
    drafts.keepImages(id, kept)
  }
  /** Whether there was something to attach. */
  const attach = (files: FileList | null): boolean => {
    const chosen = [...(files ?? [])].filter(({ type }) => type.startsWith('image/'))
    if (chosen.length === 0) return false
    readImages(chosen).then(
      (read) => keepImages([...drafts.images(id), ...read].slice(0, imageLimit)),
      toasts.fail('The image could not be read'),
    )
    return true
  }
  const send = (when: 'now' | 'later') => {
    const said = text.trim()
    if (said === '' || isSending) return
    const body = { text: said, ...(images.length > 0 && { images: [...images] }) }
    const { prompt, steer, followUp } = client.sessions
    const call = isWorking ? (when === 'later' ? followUp : steer) : prompt
    setSending(true)
    call(id, body).then(
      () => {
        setSending(false)
        drafts.remember(said)
        write('')
        keepImages([])
      },
      (cause: unknown) => {
        setSending(false)
        toasts.fail('It was not sent')(cause)
      },
    )
  }
  return {
    text,
    images,
    isSending,
    write,
    attach,
    detach: (index: number) => keepImages(images.filter((_, place) => place !== index)),
    send,
  }
}

const imageLimit = 20
