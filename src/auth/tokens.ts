import { createSecretKey } from 'node:crypto'
import type { IssuedToken, Scope } from '../api/types.ts'

/** What a token says. */
export interface Claims {
  /** The key that it was issued from. */
  keyId: string
  scopes: Scope[]
  /** In ms since 1970. */
  expiresAt: number
}

type Asked = Omit<Claims, 'keyId'> & { keyId: string | undefined }

/** Loaded with the first token: those who show a key need not wait for it. */
const jwt = () => import('./jwt.ts')

/** Short tokens (JWT, HS256), signed with a secret of the data directory. */
export const createTokens = (secret: Uint8Array, now: () => number) => {
  if (secret.byteLength < 32) throw new Error('the secret must have 256 bits')
  const key = createSecretKey(secret)
  return {
    /** Throws a `Problem` 401. */
    read: async (token: string): Promise<Claims> => (await jwt()).readJwt(token, key, now()),
    issue: async (asked: Asked): Promise<IssuedToken> => (await jwt()).issueJwt(asked, key, now()),
  }
}
