import { z } from 'zod'
import { label, time } from './fields.ts'
import { allScopes } from './scopes.ts'

export const scope = z
  .enum(allScopes)
  .describe('Watch; drive agents; answer approvals; manage keys, projects and sessions.')

const scopes = z.array(scope).min(1).max(4)

/** An API key, without its secret. */
export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(scope),
  createdAt: time,
  lastUsedAt: time.optional(),
  revokedAt: time.optional(),
})

/** `GET keys` */
export const keyList = z.object({ keys: z.array(apiKey) })

/** `POST keys` */
export const newKey = z.strictObject({ name: label, scopes })

/** The answer to that: the only time that the key itself is shown. */
export const createdKey = z.object({ ...apiKey.shape, key: z.string().describe('Shown once.') })

/** `POST auth/token`: the API key is the bearer of the request. */
export const tokenRequest = z.strictObject({
  scopes: scopes.optional().describe('No more than the key has; all of them unless told.'),
  ttlSeconds: z.number().int().min(1).max(86_400).optional().describe('900 unless told.'),
})

export const issuedToken = z.object({
  token: z.string().describe('A JWT, for `Authorization: Bearer`.'),
  expiresAt: time,
  scopes: z.array(scope),
})
