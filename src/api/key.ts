import { z } from 'zod'
import { actor } from '../events/actor.ts'
import { count, label, time } from './fields.ts'
import { allScopes } from './scopes.ts'

export const scope = z
  .enum(allScopes)
  .describe(
    '`read`: read sessions and streams. `prompt`: drive agents. `approve`: answer approvals. `rewrite`: change the arguments of a tool call in an answer, which equals a shell. `admin`: manage keys, projects and sessions.',
  )

const scopes = z.array(scope).min(1).max(allScopes.length)

const ids = z.array(z.string().min(1).max(200)).min(1).max(100)

/** What narrows a key down. Every field is optional, and an absent one limits nothing. */
const keyLimits = {
  owner: label.optional().describe('Person or team that the key belongs to.'),
  expiresAt: time('When the key expires').optional(),
  projects: ids
    .optional()
    .describe('Ids of projects. With `projects` or `sessions`, the key sees only those.'),
  sessions: ids
    .optional()
    .describe('Ids of sessions. With `projects` or `sessions`, the key sees only those.'),
  maxSessions: count.optional().describe('Maximum number of sessions that the key has created.'),
  maxStreams: count.optional().describe('Maximum number of streams that are open with the key.'),
  maxDiskBytes: count
    .optional()
    .describe('Maximum number of bytes stored for the sessions that the key has created.'),
}

export const apiKey = z
  .object({
    id: z.string().describe('Id of the key.'),
    name: z.string().describe('Name of the key.'),
    scopes: z.array(scope).describe('What the key allows.'),
    ...keyLimits,
    createdAt: time('When the key was created'),
    createdBy: z.string().optional().describe('Name of the key or browser that created the key.'),
    parentId: z
      .string()
      .optional()
      .describe('Id of the key that created the key. The key ends with it.'),
    lastUsedAt: time('When the key was last used').optional(),
    revokedAt: time('When the key was revoked').optional(),
  })
  .describe('An API key, without its secret.')

export const keyList = z
  .object({ keys: z.array(apiKey).describe('All keys, including revoked ones.') })
  .describe('Response of `GET keys`.')

export const newKey = z
  .strictObject({
    name: label.describe('Name of the key.'),
    scopes: scopes.describe('What the key allows.'),
    ...keyLimits,
  })
  .describe('Body of `POST keys`. A key cannot create one that may do more than itself.')

export const createdKey = z
  .object({
    ...apiKey.shape,
    key: z.string().describe('The key itself. Only this response contains it.'),
  })
  .describe('Response of `POST keys`.')

export const tokenRequest = z
  .strictObject({
    scopes: scopes
      .optional()
      .describe('What the token allows: scopes of the key. Default: all of them.'),
    ttlSeconds: z
      .number()
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('Lifetime of the token in seconds. Default: 900.'),
  })
  .describe('Body of `POST auth/token`. Authorize the request with an API key.')

export const issuedToken = z
  .object({
    token: z.string().describe('A JWT to send as `Authorization: Bearer <token>`.'),
    expiresAt: time('When the token expires'),
    scopes: z.array(scope).describe('What the token allows.'),
  })
  .describe('Response of `POST auth/token`.')

export const accessInfo = z
  .object({
    actor,
    scopes: z.array(scope).describe('What the request may do.'),
    expiresAt: time('When the access ends').optional(),
    projects: ids.optional().describe('Only these projects are visible, and `sessions`.'),
    sessions: ids.optional().describe('Only these sessions are visible, and those of `projects`.'),
  })
  .describe('Response of `GET access`.')
