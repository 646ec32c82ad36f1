import { z } from 'zod'

export const health = z
  .object({
    status: z
      .enum(['ok', 'stopping'])
      .describe('`stopping`: the server finishes its work and accepts no new requests.'),
    version: z.string().describe('Version of the server.'),
  })
  .describe('Response of `GET health`. It needs no token.')
