import { createSecretKey } from 'node:crypto'
import type { IssuedToken, Scope } from '../api/types.ts'

/** The content of a token. */
export interface Claims {
  /** The key that the token was issued from. */
  keyId: string
  scopes: Scope[]
  /** In ms since 1970. */
  expiresAt: number
}

/** The claims of a new token; without a key when none is required. */
export type NewClaims = Omit<Claims, 'keyId'> & { keyId: string | undefined }

/** Short tokens (JWT, HS256), signed with the secret of the data directory. */
export interface Tokens {
  /** Verifies a token and returns its claims. Throws a `Problem` 401. */
  verify(token: string): Promise<Claims>
  issue(claims: NewClaims): Promise<IssuedToken>
}

/** Imported with the first token, because requests with a key need not wait for it. */
const jwt = () => import('./jwt.ts')

export const createTokens = (secret: Uint8Array, now: () => number): Tokens => {
  if (secret.byteLength < 32) throw new Error('the secret must have at least 256 bits')
  const key = createSecretKey(secret)
  return {
    verify: async (token) => (await jwt()).verifyJwt(token, key, now()),
    issue: async (claims) => (await jwt()).signJwt(claims, key, now()),
  }
}
