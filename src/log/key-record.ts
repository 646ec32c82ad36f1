import { z } from 'zod'

/** A key as it is kept: never the key itself. */
export const keyRecord = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1).describe('What the person called it.'),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the key, in hex.'),
  scopes: z.array(z.string().min(1)).min(1).describe('What it may be used for.'),
  createdAt: z.number().int().describe('In ms since 1970.'),
  revokedAt: z.number().int().optional().describe('From then on it opens nothing.'),
  lastUsedAt: z.number().int().optional().describe('About when it was last used.'),
})
