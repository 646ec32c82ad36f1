import type { Agent } from '../../agents/agent.ts'
import type { PromptFile, PromptImage } from '../../agents/live.ts'
import { bytesOfBase64, fileTypeOf } from '../../shared/file-type.ts'
import type { Attachments } from './queue.ts'
import type { CommandResult, FileToAttach, MessageOptions } from './session.ts'

/** The largest file of each kind, in bytes. */
const largest = { text: 1_000_000, pdf: 10_000_000, image: 10_000_000 } as const
/** The largest files of one message together, in bytes. */
const largestTotal = 12_000_000
const maxFiles = 20

type Checked = { refusal: CommandResult } | { attachments: Attachments }

/** What a message has beside its text, if the agent can take it. Types are found by content. */
export const checkAttachments = (
  { title, capabilities }: Pick<Agent, 'title' | 'capabilities'>,
  { images = [], files = [] }: Pick<MessageOptions, 'images' | 'files'>,
): Checked => {
  if (files.length === 0) return { attachments: images.length > 0 ? { images } : {} }
  if (files.length > maxFiles) return refused(`A message can have at most ${maxFiles} files.`)
  const readFiles = files.map((file) => readFile(file))
  const unreadable = readFiles.find((file) => typeof file === 'string')
  if (unreadable !== undefined) return refused(unreadable)
  const read = readFiles.filter((file) => typeof file !== 'string')
  if (read.reduce((sum, { size }) => sum + size, 0) > largestTotal)
    return refused(`The files are larger than ${megabytes(largestTotal)} together.`)
  const foreign = read.find(({ kind }) =>
    kind === 'image' ? !capabilities.images : !capabilities.files?.includes(kind),
  )
  if (foreign)
    return unsupported(
      `${title} does not accept ${kindNames[foreign.kind]}, such as “${foreign.name}”.${insteadOf(capabilities)}`,
    )
  const allImages = [...images, ...read.flatMap(({ image }) => image ?? [])]
  const others = read.flatMap(({ file }) => file ?? [])
  return {
    attachments: {
      ...(allImages.length > 0 && { images: allImages }),
      ...(others.length > 0 && { files: others }),
    },
  }
}

type FileKind = keyof typeof largest

interface ReadFile {
  name: string
  kind: FileKind
  size: number
  image?: PromptImage
  file?: PromptFile
}

/** A file with its type, or why it cannot be sent. */
const readFile = ({ name: given, data }: FileToAttach): ReadFile | string => {
  const name = plainName(given)
  const bytes = bytesOfBase64(data)
  if (!bytes) return `The file “${name}” is not valid Base64.`
  if (bytes.length === 0) return `The file “${name}” is empty.`
  const mimeType = fileTypeOf(bytes)
  if (mimeType === undefined)
    return `The file “${name}” cannot be sent: it is neither text in UTF-8 nor a PDF file nor an image (PNG, JPEG, GIF or WebP).`
  const kind = kindOf(mimeType)
  const size = bytes.length
  if (size > largest[kind])
    return `The file “${name}” is too large: ${kindNames[kind]} can have up to ${megabytes(largest[kind])}.`
  if (mimeType === 'text/plain' || mimeType === 'application/pdf')
    return { name, kind, size, file: { name, mimeType, data } }
  return { name, kind, size, image: { data, mimeType } }
}

const kindOf = (mimeType: string): FileKind => {
  if (mimeType === 'application/pdf') return 'pdf'
  return mimeType === 'text/plain' ? 'text' : 'image'
}

const kindNames = { text: 'text files', pdf: 'PDF files', image: 'images' } as const

/** A name without directories and control characters: it goes to the model and to terminals. */
const plainName = (name: string): string => {
  const last = name.split(/[/\\]/).findLast((part) => part !== '') ?? ''
  return last.replaceAll(/\p{Cc}/gu, '').slice(0, 255) || 'file'
}

const insteadOf = ({ images, files = [] }: Agent['capabilities']): string => {
  const kinds = [...files.map((kind) => kindNames[kind]), ...(images ? [kindNames.image] : [])]
  return kinds.length === 0 ? '' : ` It accepts ${kinds.join(' and ')}.`
}

const megabytes = (bytes: number): string => `${bytes / 1_000_000} MB`

const refused = (error: string): Checked => ({ refusal: { outcome: 'refused', error } })
const unsupported = (error: string): Checked => ({ refusal: { outcome: 'unsupported', error } })
