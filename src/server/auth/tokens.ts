import { createSecretKey } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type Scope, scope } from '../../api/key.ts'
import { tokenExpired, tokenInvalid } from './refusals.ts'

/** What a token says. */
export interface Claims {
  /** The key that it was issued from. */
  keyId: string
  scopes: Scope[]
  /** In ms since 1970. */
  expiresAt: number
}

type Asked = Omit<Claims, 'keyId'> & { keyId: string | undefined }

const issuer = 'sluice'
const audience = 'sluice-api'
const algorithm = 'HS256'

const payloadSchema = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  scopes: z.array(scope).min(1),
})

/** Short tokens (JWT, HS256), signed with a secret of the data directory. */
export const createTokens = (secret: Uint8Array, now: () => number) => {
  if (secret.byteLength < 32) throw new Error('the secret must have 256 bits')
  const key = createSecretKey(secret)

  return {
    /** Throws a `Problem` 401. */
    async read(token: string): Promise<Claims> {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [algorithm],
          issuer,
          audience,
          requiredClaims: ['sub', 'exp', 'iat', 'scopes'],
          currentDate: new Date(now()),
        })
        const { sub, exp, scopes } = payloadSchema.parse(payload)
        return { keyId: sub, scopes, expiresAt: exp * 1000 }
      } catch (cause) {
        if (cause instanceof errors.JWTExpired) throw tokenExpired()
        if (cause instanceof errors.JOSEError || cause instanceof z.ZodError) throw tokenInvalid()
        throw cause
      }
    },

    /** Without a key it is a token that opens nothing: where none is needed, it need not. */
    async issue({ keyId, scopes, expiresAt }: Asked) {
      const exp = Math.floor(expiresAt / 1000)
      const token = await new SignJWT({ scopes, ...(keyId !== undefined && { sub: keyId }) })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(Math.floor(now() / 1000))
        .setExpirationTime(exp)
        .sign(key)
      return { token, scopes, expiresAt: exp * 1000 }
    },
  }
}
