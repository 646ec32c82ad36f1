import type { BlobRef } from '../../events/types.ts'
import { type Base64Field, decodeBase64 } from './base64.ts'
import { blobRefOf } from './blob-ref.ts'

/** Bytes that were taken out of an event, and the reference that stands in the event instead. */
export interface ExtractedBlob {
  ref: BlobRef
  bytes: Uint8Array
}

/** Collects the blobs of one event, the same bytes once. */
export interface BlobCollector {
  readonly blobs: readonly ExtractedBlob[]
  addText(text: string): BlobRef
  addJson(value: unknown): BlobRef
  /** Adds the decoded bytes, or the text itself when it is not base64. */
  addBase64(field: Base64Field): BlobRef
  /** Removes all but the first `count` blobs again. */
  truncate(count: number): void
}

export const createBlobCollector = (): BlobCollector => {
  const blobs: ExtractedBlob[] = []

  const add = (bytes: Uint8Array, mimeType: string): BlobRef => {
    const ref = blobRefOf(bytes, mimeType)
    if (!blobs.some((blob) => blob.ref.hash === ref.hash)) blobs.push({ ref, bytes })
    return ref
  }
  const addJson = (value: unknown): BlobRef =>
    add(Buffer.from(JSON.stringify(value)), 'application/json')
  // UTF-8 cannot represent half of a surrogate pair; JSON can.
  const addText = (text: string): BlobRef =>
    text.isWellFormed() ? add(Buffer.from(text), 'text/plain') : addJson(text)

  return {
    blobs,
    addText,
    addJson,
    addBase64(field) {
      const bytes = decodeBase64(field)
      return bytes ? add(bytes, field.mimeType) : addText(field.data)
    },
    truncate: (count) => void blobs.splice(count),
  }
}
