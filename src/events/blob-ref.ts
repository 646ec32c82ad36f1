import { z } from 'zod'

export const blobRef = z
  .strictObject({
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 hash of the bytes, in hexadecimal. Equal bytes have the same hash.'),
    size: z.number().int().nonnegative().describe('Size in bytes.'),
    mimeType: z
      .string()
      .optional()
      .describe(
        'Media type: `text/plain` for a text, `application/json` for a value, or the type of the image.',
      ),
  })
  .describe(
    'Reference to a payload that is stored apart from the events because it is larger than 256 KiB.',
  )

/** A field with the reference to the complete value of another field, which is only a preview. */
export const blobField = (description: string) => blobRef.optional().describe(description)
