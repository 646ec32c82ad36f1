import type { Block } from '../events/message.ts'
import { type BlobRef, refOf } from './blob-ref.ts'

/** Bytes that were taken out of an event, and what the event calls them. */
export interface Taken {
  ref: BlobRef
  bytes: Uint8Array
}

/** Takes large parts out of values; what it leaves in their place names the blob. */
export interface Taker {
  text(text: string): string
  /** A block may become two: a text that is left, and the name of the whole. */
  block(block: Block): Block[]
  value(value: unknown): unknown
  readonly taken: readonly Taken[]
}

/** Parts below this stay, however large the whole. */
const partBytes = 16 * 1024
/** How much of a text is left at either end. */
const previewChars = 4 * 1024

export const createTaker = (limit: number): Taker => {
  const taken: Taken[] = []
  const isLarge = (text: string) => text.length > partBytes

  const take = (bytes: Uint8Array, mimeType: string): BlobRef => {
    const ref = refOf(bytes, mimeType)
    if (!taken.some((each) => each.ref.hash === ref.hash)) taken.push({ ref, bytes })
    return ref
  }
  /** Half a surrogate pair does not survive as UTF-8; in JSON it does. */
  const takeText = (text: string): BlobRef =>
    text.isWellFormed()
      ? take(Buffer.from(text), 'text/plain')
      : take(Buffer.from(JSON.stringify(text)), 'application/json')

  const text = (whole: string): string => (isLarge(whole) ? preview(whole, takeText(whole)) : whole)

  const parts = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(parts)
    if (typeof value !== 'object' || value === null) return value
    const image = imageIn(value)
    if (image && isLarge(image.data))
      return { ...value, data: '', blob: take(Buffer.from(image.data, 'base64'), image.mimeType) }
    return fields(value)
  }
  const fields = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, parts(each)]))

  const block = (whole: Block): Block[] => {
    const image = imageIn(whole)
    if (whole.type === 'image' && image && isLarge(image.data))
      return [{ type: 'blob', blob: take(Buffer.from(image.data, 'base64'), image.mimeType) }]
    if (whole.type !== 'text' || typeof whole.text !== 'string')
      return [{ ...fields(whole), type: whole.type }]
    if (!isLarge(whole.text)) return [whole]
    const blob = takeText(whole.text)
    return [
      { type: 'text', text: preview(whole.text, blob) },
      { type: 'blob', blob },
    ]
  }

  const value = (whole: unknown): unknown => {
    const rest = parts(whole)
    if (sizeOf(rest) <= limit) return rest
    // Many small parts: all of it goes.
    const json = JSON.stringify(whole)
    const blob = take(Buffer.from(json), 'application/json')
    return { type: 'blob', blob, preview: preview(json, blob) }
  }

  return { text, block, value, taken }
}

/** About how many bytes a value takes as JSON, without making it. */
export const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (typeof value !== 'object' || value === null) return 4
  let size = 2
  for (const [key, each] of Object.entries(value)) size += key.length + 4 + sizeOf(each)
  return size
}

const imageIn = (value: object): { data: string; mimeType: string } | undefined => {
  if (!('data' in value) || typeof value.data !== 'string') return undefined
  const mimeType = 'mimeType' in value ? value.mimeType : Reflect.get(value, 'media_type')
  return typeof mimeType === 'string' ? { data: value.data, mimeType } : undefined
}

const preview = (text: string, { size, hash }: BlobRef): string => {
  const head = text.slice(0, previewChars).replace(/[\uD800-\uDBFF]$/, '')
  const tail = text.slice(-previewChars).replace(/^[\uDC00-\uDFFF]/, '')
  return `${head}\n… [${size} bytes, sha256 ${hash}] …\n${tail}`
}
