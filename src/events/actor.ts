import { z } from 'zod'

export const actorKind = z
  .enum(['key', 'browser', 'local', 'nobody'])
  .describe(
    '`key`: an API key. `browser`: a signed-in browser. `local`: a program on the machine of the server. `nobody`: the server requires no sign-in.',
  )

export const actor = z
  .object({
    kind: actorKind,
    id: z.string().describe('Id of the key or browser.'),
    name: z.string().describe('Name of the key or browser.'),
    address: z.string().optional().describe('Network address that the request came from.'),
  })
  .describe('Who sends a request.')
