import { hash } from 'node:crypto'
import type { BlobRef } from '../../events/types.ts'

/** The reference to bytes as a blob. The same bytes always have the same hash. */
export const blobRefOf = (bytes: Uint8Array, mimeType?: string): BlobRef => ({
  hash: hash('sha256', bytes),
  size: bytes.byteLength,
  ...(mimeType !== undefined && { mimeType }),
})
