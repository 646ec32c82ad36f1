import type { BlobRef, Block } from '../../events/types.ts'
import { type Base64Field, base64FieldIn, decodeBase64 } from './base64.ts'
import { blobRefOf } from './blob-ref.ts'
import { previewChars, previewOf, previewOfText } from './preview.ts'
import { contentSize, jsonSize } from './size.ts'

/** Bytes that were taken out of an event, and what the event calls them. */
export interface ExtractedBlob {
  ref: BlobRef
  bytes: Uint8Array
}

/** What is left of a payload, and the name of the whole where something was taken. */
export interface Remainder<Payload> {
  left: Payload
  blob?: BlobRef
}

/** Takes payloads that are over a limit out of events; others it gives back as they are. */
export interface BlobExtractor {
  text(whole: string): Remainder<string>
  /** Goes as one. */
  value(whole: unknown): Remainder<unknown>
  /** Texts and images in it go one by one, so that each is the same blob wherever it stands. */
  result(whole: unknown): Remainder<unknown>
  content(whole: Block[]): Remainder<Block[]>
  /** Blocks that all stay, however much is taken of each. */
  blocks(whole: Block[]): Block[]
  readonly taken: readonly ExtractedBlob[]
}

/** In a payload that is over the limit, parts below this stay. */
const partSize = 16 * 1024
/** What may stand around a payload that is just as large as it may be: brackets, names, types. */
const frameSize = 4 * 1024
/** Blocks are looked for so many levels down. */
const deepest = 64
/** An image leaves nothing behind, so that small ones may go too. */
const imageSize = 1024

export const createBlobExtractor = (limit: number): BlobExtractor => {
  const taken: ExtractedBlob[] = []

  const isLight = (value: unknown) => jsonSize(value) <= limit + frameSize

  const take = (bytes: Uint8Array, mimeType: string): BlobRef => {
    const ref = blobRefOf(bytes, mimeType)
    if (!taken.some((each) => each.ref.hash === ref.hash)) taken.push({ ref, bytes })
    return ref
  }
  const takeJson = (whole: unknown) => take(Buffer.from(JSON.stringify(whole)), 'application/json')
  /** Half a surrogate pair does not survive as UTF-8; in JSON it does. */
  const takeText = (whole: string): BlobRef =>
    whole.isWellFormed() ? take(Buffer.from(whole), 'text/plain') : takeJson(whole)
  const takeEncoded = (encoded: Base64Field): BlobRef => {
    const bytes = decodeBase64(encoded)
    return bytes ? take(bytes, encoded.mimeType) : takeText(encoded.data)
  }
  /** What was taken since then was in vain. */
  const takeBack = (count: number) => taken.splice(count)

  const text = (whole: string): Remainder<string> => {
    if (Buffer.byteLength(whole) <= limit) return { left: whole }
    return { left: previewOfText(whole), blob: takeText(whole) }
  }

  const value = (whole: unknown): Remainder<unknown> => {
    if (typeof whole === 'string') return text(whole)
    if (isLight(whole)) return { left: whole }
    return { left: previewOf(whole), blob: takeJson(whole) }
  }

  const result = (whole: unknown): Remainder<unknown> => {
    if (typeof whole === 'string' || isLight(whole)) return value(whole)
    const before = taken.length
    const left = parts(whole)
    if (isLight(left)) return { left }
    takeBack(before)
    return value(whole)
  }

  /** The value without the texts and images that are blocks in it. */
  const parts = (whole: unknown, depth = 0): unknown => {
    if (typeof whole !== 'object' || whole === null || depth > deepest) return whole
    if (Array.isArray(whole)) return whole.map((each) => parts(each, depth + 1))
    const isFree = !('blob' in whole) // a field of the agent’s own is not written over
    if (isFree && isText(whole)) return lightText(whole)
    const encoded = isFree ? base64FieldIn(whole) : undefined
    if (encoded && encoded.data.length > imageSize)
      return { ...whole, [encoded.field]: '', blob: takeEncoded(encoded) }
    return Object.fromEntries(
      Object.entries(whole).map(([key, each]) => [key, parts(each, depth + 1)]),
    )
  }

  const lightText = <Text extends { text: string }>(whole: Text) =>
    whole.text.length <= partSize
      ? whole
      : { ...whole, text: previewOfText(whole.text), blob: takeText(whole.text) }

  const block = (whole: Block): Block => {
    if (isText(whole)) return lightText(whole)
    if (isImage(whole)) {
      if (whole.data.length <= imageSize) return whole
      return { ...whole, data: '', blob: takeEncoded({ field: 'data', ...whole }) }
    }
    if (whole.type === 'thinking' || whole.type === 'toolCall') return whole
    return foreign(whole)
  }

  /** A block of which only its type is known. */
  const foreign = (whole: Block): Block => {
    const before = taken.length
    const left = parts(whole)
    if (jsonSize(left) <= partSize) return { ...fieldsOf(left), type: whole.type }
    takeBack(before)
    return { ...fieldsOf(previewOf(whole)), type: whole.type, blob: takeJson(whole) }
  }

  const content = (whole: Block[]): Remainder<Block[]> => {
    if (contentSize(whole) <= limit) return { left: whole }
    const before = taken.length
    const left = whole.map(block)
    if (contentSize(left) <= limit) return { left }
    // Very many small ones: the first stay, and all of them go.
    takeBack(before)
    return { left: whole.slice(0, firstOf(left)).map(block), blob: takeJson(whole) }
  }

  const blocks = (whole: Block[]): Block[] =>
    contentSize(whole) <= limit ? whole : whole.map(block)

  return { text, value, result, content, blocks, taken }
}

/** How many blocks are about as much as what is left of one text. */
const firstOf = (content: readonly Block[]): number => {
  let size = 0
  const end = content.findIndex((block) => {
    size += contentSize([block]) + 32
    return size > 2 * previewChars
  })
  return end === -1 ? content.length : end
}

const isText = (value: object): value is { type: 'text'; text: string } =>
  'type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string'

const isImage = (block: Block): block is Extract<Block, { type: 'image' }> =>
  block.type === 'image' && typeof block.data === 'string' && typeof block.mimeType === 'string'

const fieldsOf = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {}
