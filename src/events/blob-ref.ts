import { z } from 'zod'

/** Names bytes that are kept apart from the events, because they were too many. */
export const blobRef = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the bytes, in hex. The same bytes have the same one.'),
  size: z.number().int().nonnegative().describe('How many bytes.'),
  mimeType: z
    .string()
    .optional()
    .describe('`text/plain` for a text, `application/json` for a value, or an image’s own.'),
})

/** A field that names the whole of another one, where that is only a beginning. */
export const wholeOf = (meaning: string) => blobRef.optional().describe(meaning)
