import { useState } from 'react'
import type { Block } from '../../../src/events/index.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import {
  listItems,
  type MessageEntry,
  type Transcript,
  threadOf,
} from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import type { DraftFile, DraftImage } from '../state/drafts.ts'
import { blockText } from '../tools/tool-output.ts'
import { bodyOf } from './use-attachments.ts'

interface Props {
  id: string
  /** The message to send again. */
  message: MessageEntry
}

/** Sends a message again. */
export const RetryButton = ({ id, message }: Props) => {
  const { client, toasts } = useApp()
  const [isSending, setSending] = useState(false)
  const isOffline = useIsOffline()
  const body = promptOf(message)
  if (!body) return null
  const send = () => {
    setSending(true)
    client.sessions
      .prompt(id, body)
      .catch(toasts.showError('Could not send the message'))
      .finally(() => setSending(false))
  }
  return (
    <button
      type="button"
      className="retry-button"
      title="Send the message again"
      disabled={isSending || isOffline}
      onClick={send}
    >
      Retry
    </button>
  )
}

/** The last message of a person in the conversation. */
export const lastPrompt = (transcript: Transcript): MessageEntry | undefined => {
  const thread = threadOf(transcript)
  const isPrompt = (entry: { kind: string }): entry is MessageEntry => entry.kind === 'message'
  return thread && listItems(thread.entries).filter(isPrompt).findLast(isOfPerson)
}

const isOfPerson = ({ message }: MessageEntry): boolean =>
  message.role === 'user' && message.synthetic !== true

/** The text, images and files of a message; undefined if the page does not have all of it. */
const promptOf = ({ message: { content } }: MessageEntry) => {
  const text = blockText(content)
  const images = content.filter(({ type }) => type === 'image').map(imageOf)
  const known = images.filter((image) => image !== undefined)
  const files = content.filter(({ type }) => type === 'attachedFile').map(fileOf)
  const knownFiles = files.filter((file) => file !== undefined)
  if (text === '' || known.length < images.length || knownFiles.length < files.length)
    return undefined
  return { text, ...bodyOf({ images: known, files: knownFiles }) }
}

/** A large image is stored apart, and the page has only a reference to it. */
const imageOf = (block: Block): DraftImage | undefined => {
  const [data, mimeType] = [stringIn(block, 'data'), stringIn(block, 'mimeType')]
  return data && mimeType ? { data, mimeType } : undefined
}

const fileOf = (block: Block): DraftFile | undefined => {
  const [data, name] = [stringIn(block, 'data'), stringIn(block, 'name')]
  return data && name ? { data, name, size: 0 } : undefined
}
