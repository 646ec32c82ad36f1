import { hash } from 'node:crypto'
import type { BlobRef } from '../../events/types.ts'

/** The name of bytes: the same bytes have the same one. */
export const refOf = (bytes: Uint8Array, mimeType?: string): BlobRef => ({
  hash: hash('sha256', bytes),
  size: bytes.byteLength,
  ...(mimeType !== undefined && { mimeType }),
})
