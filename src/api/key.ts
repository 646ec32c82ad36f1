import { z } from 'zod'
import { label, time } from './fields.ts'
import { allScopes } from './scopes.ts'

export const scope = z
  .enum(allScopes)
  .describe(
    '`read`: read sessions and streams. `prompt`: drive agents. `approve`: answer approvals. `admin`: manage keys, projects and sessions.',
  )

const scopes = z.array(scope).min(1).max(4)

export const apiKey = z
  .object({
    id: z.string().describe('Id of the key.'),
    name: z.string().describe('Name of the key.'),
    scopes: z.array(scope).describe('What the key allows.'),
    createdAt: time('When the key was created'),
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
  })
  .describe('Body of `POST keys`.')

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
