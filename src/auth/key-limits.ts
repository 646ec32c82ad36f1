import type { NewKey } from '../api/types.ts'
import type { KeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import type { Access } from './auth.ts'
import { maxChainLength } from './key-chain.ts'

/** Where a new key comes from, and what limits it as much as the access that creates it. */
type InheritedFields = Pick<
  KeyRecord,
  'createdBy' | 'parentId' | 'expiresAt' | 'projects' | 'sessions'
>

/**
 * What a new key inherits from the access that creates it. Throws a `Problem` 403 when the request wants
 * more than the access has. The route has checked that its projects and sessions are visible.
 */
export const limitsUnder = (access: Access, request: NewKey): InheritedFields => {
  const missing = request.scopes.filter((scope) => !access.scopes.has(scope))
  if (missing.length > 0)
    throw new Problem(
      403,
      'wrong_scope',
      `A key cannot create one with scopes that it lacks: ${missing.join(', ')}.`,
      { missing },
    )
  checkChain(access)
  checkExpiry(access, request)
  checkQuotas(access, request)
  const { actor, keyId, range } = access
  const expiresAt = request.expiresAt ?? endOf(access)
  const isNarrowed = request.projects !== undefined || request.sessions !== undefined
  return {
    createdBy: actor.name,
    ...(keyId !== undefined && { parentId: keyId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(range && !isNarrowed && { projects: [...range.projects], sessions: [...range.sessions] }),
  }
}

/**
 * When what a key or a token creates must end. What people create in a browser or a terminal outlives
 * their sign-in, but not the key that they signed in with.
 */
const endOf = ({ actor, keys = [], expiresAt }: Access): number | undefined => {
  if (actor.kind === 'key') return expiresAt
  const ends = keys.flatMap((key) => key.expiresAt ?? [])
  return ends.length === 0 ? undefined : Math.min(...ends)
}

const checkChain = ({ keys = [] }: Access): void => {
  if (keys.length >= maxChainLength)
    throw limited(
      `At most ${maxChainLength} keys can create each other, one after another. Use an earlier one.`,
    )
}

const checkExpiry = (access: Access, { expiresAt }: NewKey): void => {
  const end = endOf(access)
  if (end === undefined || expiresAt === undefined || expiresAt <= end) return
  throw limited(`Your key ends at ${new Date(end).toISOString()}. The new key cannot last longer.`)
}

const quotas = ['maxSessions', 'maxStreams', 'maxDiskBytes'] as const

const checkQuotas = ({ keys = [] }: Access, request: NewKey): void => {
  for (const quota of quotas)
    for (const key of keys)
      if ((request[quota] ?? 0) > (key[quota] ?? Number.POSITIVE_INFINITY))
        throw limited(`Your key has ${quota} ${key[quota]}. The new key cannot have more.`)
}

const limited = (detail: string): Problem => new Problem(403, 'key_limited', detail)
