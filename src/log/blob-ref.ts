import { hash } from 'node:crypto'
import { z } from 'zod'

/** Names bytes that are kept apart from the events. */
export const blobRef = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the bytes, in hex.'),
  size: z.number().int().nonnegative().describe('How many bytes.'),
  mimeType: z.string().optional(),
})
export type BlobRef = z.infer<typeof blobRef>

/** The name of bytes: the same bytes have the same one. */
export const refOf = (bytes: Uint8Array, mimeType?: string): BlobRef => ({
  hash: hash('sha256', bytes),
  size: bytes.byteLength,
  ...(mimeType !== undefined && { mimeType }),
})
