import { z } from 'zod'

/** `GET health`: needs no token, and tells nothing that one would protect. */
export const health = z.object({
  status: z
    .enum(['ok', 'stopping'])
    .describe('`stopping`: it ends what it does and takes no more.'),
  version: z.string().describe('Of the server.'),
})
