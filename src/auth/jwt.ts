import type { KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { scope } from '../api/key.ts'
import type { IssuedToken } from '../api/types.ts'
import { tokenExpired, tokenInvalid } from './token-problems.ts'
import type { Claims, NewClaims } from './tokens.ts'

const issuer = 'sluice'
const audience = 'sluice-api'
const algorithm = 'HS256'

const payloadSchema = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  scopes: z.array(scope).min(1),
})

/** Verifies a token and returns its claims. Throws a `Problem` 401. */
export const verifyJwt = async (token: string, key: KeyObject, now: number): Promise<Claims> => {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience,
      requiredClaims: ['sub', 'exp', 'iat', 'scopes'],
      currentDate: new Date(now),
    })
    const { sub, exp, scopes } = payloadSchema.parse(payload)
    return { keyId: sub, scopes, expiresAt: exp * 1000 }
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw tokenExpired()
    if (cause instanceof errors.JOSEError || cause instanceof z.ZodError) throw tokenInvalid()
    throw cause
  }
}

/** Signs a token. Without a key id it has no `sub` and is never accepted: no token is required then. */
export const signJwt = async (
  { keyId, scopes, expiresAt }: NewClaims,
  key: KeyObject,
  now: number,
): Promise<IssuedToken> => {
  const exp = Math.floor(expiresAt / 1000)
  const token = await new SignJWT({ scopes, ...(keyId !== undefined && { sub: keyId }) })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(exp)
    .sign(key)
  return { token, scopes, expiresAt: exp * 1000 }
}
