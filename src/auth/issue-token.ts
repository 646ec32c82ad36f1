import type { IssuedToken } from '../api/types.ts'
import { Problem } from '../shared/problem.ts'
import type { TokenOptions } from './auth.ts'
import type { Tokens } from './tokens.ts'

const maxTtlSeconds = 24 * 60 * 60

/** Issues a short token with the scopes of an access or fewer. Throws a `Problem` 403 or 422. */
export const issueToken = async (
  { access, scopes = [...access.scopes], ttlSeconds = 15 * 60 }: TokenOptions,
  tokens: Tokens,
  now: number,
): Promise<IssuedToken> => {
  access.signal.throwIfAborted()
  if (access.actor.kind === 'browser' || access.actor.kind === 'local') throw keyRequired()
  const requested = [...new Set(scopes)]
  const missing = requested.filter((each) => !access.scopes.has(each))
  if (missing.length > 0)
    throw new Problem(
      403,
      'wrong_scope',
      `A token cannot have scopes that your own token lacks: ${missing.join(', ')}.`,
      { missing },
    )
  if (requested.length === 0) throw invalid('A token needs at least one scope.')
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > maxTtlSeconds)
    throw invalid(`ttlSeconds must be an integer from 1 to ${maxTtlSeconds}.`)
  const requestedEnd = now + ttlSeconds * 1000
  const expiresAt = Math.min(requestedEnd, access.expiresAt ?? requestedEnd)
  return tokens.issue({ keyId: access.keyId, scopes: requested, expiresAt })
}

const invalid = (detail: string): Problem => new Problem(422, 'invalid', detail)

const keyRequired = (): Problem =>
  new Problem(
    403,
    'key_required',
    'Only an API key can issue tokens. Create a key with POST /api/v1/keys, and use it.',
  )
