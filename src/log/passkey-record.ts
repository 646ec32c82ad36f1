import { z } from 'zod'

const time = z.number().int().describe('In ms since 1970.')

export const passkeyRecord = z
  .strictObject({
    id: z.string().min(1).describe('The id of the credential, in base64url.'),
    name: z.string().min(1).describe('The name that a person gave the passkey.'),
    publicKey: z.string().min(1).describe('The public key, in base64url.'),
    counter: z.number().int().nonnegative().describe('How often the authenticator has signed.'),
    transports: z.array(z.string()).optional(),
    host: z.string().min(1).describe('The host name that the passkey is for.'),
    createdAt: time,
    createdBy: z.string().describe('The name of the browser that registered it.'),
    lastUsedAt: time.optional(),
  })
  .describe('A passkey: a public key, whose private half never leaves its device.')
