import { z } from 'zod'
import { scope } from '../api/key.ts'
import type { Access } from '../auth/auth.ts'
import { loadKeyChain } from '../auth/key-chain.ts'
import { neverAborts } from '../auth/lifetimes.ts'
import { actor } from '../events/actor.ts'
import type { Log } from '../log/log.ts'
import { defined } from '../shared/fields.ts'

/** A request that one node has authorized and another one runs. Fields that are not known are ignored. */
export const forwardedRequest = z.object({
  method: z.string(),
  /** The path of the endpoint, with `:id` for parameters. */
  endpoint: z.string(),
  path: z.string(),
  params: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.string()),
  /** Those that routes read. */
  headers: z.record(z.string(), z.string()),
  /** The body as it was sent; absent where the endpoint has none. */
  body: z.string().optional(),
  access: z.object({
    actor,
    scopes: z.array(z.string()),
    keyId: z.string().optional(),
    isToken: z.literal(true).optional(),
    /** The ids of the key, of the one that created it, and so on. */
    keys: z.array(z.string()).optional(),
    range: z.object({ projects: z.array(z.string()), sessions: z.array(z.string()) }).optional(),
    expiresAt: z.number().optional(),
  }),
})
export type ForwardedRequest = z.infer<typeof forwardedRequest>

/** What the other node responds with. */
export const forwardedResponse = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  /** The body as it is to be sent. */
  body: z.string().optional(),
  /** Whether the body is Base64. */
  isBase64: z.boolean().optional(),
  /** The session has moved: nothing was done. */
  hasMoved: z.boolean().optional(),
})
export type ForwardedResponse = z.infer<typeof forwardedResponse>

/** What another node must know about the rights of a caller. */
export const forwardedAccess = (
  { scopes, keys, range, keyId, isToken, expiresAt }: Access,
  sender: Access['actor'],
): ForwardedRequest['access'] => ({
  actor: sender,
  scopes: [...scopes],
  ...(keys && { keys: keys.map(({ id }) => id) }),
  ...(range && { range: { projects: [...range.projects], sessions: [...range.sessions] } }),
  ...defined({ keyId, isToken, expiresAt }),
})

/**
 * The rights of a caller whom another node has let in. Throws a `Problem` 401 if a key has been revoked
 * meanwhile.
 */
export const accessOf = async (
  { access }: Pick<ForwardedRequest, 'access'>,
  { keys }: Pick<Log, 'keys'>,
): Promise<Access> => {
  const { scopes, keys: ids, ...more } = access
  const key = ids?.[0]
  const chain =
    key === undefined ? undefined : await loadKeyChain(keys, await keys.get(key), Date.now())
  // A newer version may have scopes that this one does not have.
  const known = scopes.flatMap((name) => scope.safeParse(name).data ?? [])
  return {
    ...defined(more),
    actor: defined(more.actor),
    scopes: new Set(chain ? known.filter((each) => chain.scopes.has(each)) : known),
    ...(chain && { keys: chain.keys }),
    signal: neverAborts,
  }
}
