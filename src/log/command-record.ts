import { z } from 'zod'
import { actor } from '../events/actor.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const commandKind = z
  .enum(['prompt', 'steer', 'follow_up'])
  .describe('How the message is sent to the agent.')

export const commandState = z
  .enum(['queued', 'sent', 'accepted', 'interrupted', 'removed'])
  .describe(
    '`queued`: it waits, and the agent has never received it. `sent`: the agent may have received it. `accepted`: the agent has read it. `interrupted`: nobody knows whether the agent has read it. `removed`: a person removed it from the queue.',
  )

export const commandImage = z
  .strictObject({ data: z.string().describe('In Base64.'), mimeType: z.string() })
  .describe('An image in a command.')

export const commandFile = z
  .strictObject({
    name: z.string(),
    mimeType: z.enum(['text/plain', 'application/pdf']),
    data: z.string().describe('In Base64.'),
  })
  .describe('A file in a command.')

export const commandKey = z
  .strictObject({
    key: sha256.describe('SHA-256 of who sent it, where to, and the `Idempotency-Key`.'),
    hash: sha256.describe('SHA-256 of the request, to recognise another one with its key.'),
  })
  .describe('How a request is recognised when it is sent again.')

export const commandRecord = z
  .strictObject({
    id: z.string().min(1).describe('Unique over all sessions.'),
    sessionId: z.string(),
    kind: commandKind,
    state: commandState.extract(['queued', 'sent']),
    text: z.string(),
    images: z.array(commandImage).optional(),
    files: z.array(commandFile).optional(),
    by: actor.optional(),
    seq: z.number().int().nonnegative().describe('The last event before the command.'),
    createdAt: z.number().int().describe('In ms since 1970.'),
    receipt: commandKey.optional(),
  })
  .describe('A message to an agent whose effect is not in the events yet.')

export const commandReceipt = z
  .strictObject({
    sessionId: z.string(),
    hash: sha256,
    seq: z.number().int().nonnegative(),
    state: commandState,
  })
  .describe('What became of a command that had an `Idempotency-Key`.')
