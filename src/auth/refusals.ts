import { Problem } from '../shared/problem.ts'

// Nobody is told which part of a token was wrong. That one has expired or was revoked is said only
// to those who have shown a real one.

/** The refusal of whoever shows no token at all. */
export const tokenMissing = (): Problem =>
  new Problem(401, 'token_missing', 'Send `Authorization: Bearer <token>`.', {}, challenge())

export const tokenInvalid = (): Problem =>
  new Problem(401, 'token_invalid', 'The token is not valid here.', {}, challenge('invalid_token'))

export const tokenExpired = (): Problem =>
  new Problem(401, 'token_expired', 'The token has expired.', {}, challenge('invalid_token'))

export const keyRevoked = (): Problem =>
  new Problem(401, 'key_revoked', 'The key was revoked.', {}, challenge('invalid_token'))

const challenge = (error?: string): Record<string, string> => ({
  'WWW-Authenticate': error === undefined ? 'Bearer' : `Bearer error="${error}"`,
})
