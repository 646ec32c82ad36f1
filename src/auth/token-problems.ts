import { Problem } from '../shared/problem.ts'

// A response never says which part of a token was wrong. Only senders of a genuine token learn that
// it has expired or was revoked.

export const tokenMissing = (): Problem =>
  new Problem(
    401,
    'token_missing',
    'This request needs a token. Send `Authorization: Bearer <token>`.',
    {},
    challenge(),
  )

export const tokenInvalid = (): Problem =>
  new Problem(
    401,
    'token_invalid',
    'The token is not valid. Check it, or create a new key with `sluice keys add`.',
    {},
    challenge('invalid_token'),
  )

export const tokenExpired = (): Problem =>
  new Problem(
    401,
    'token_expired',
    'The token has expired. Request a new one with POST /api/v1/auth/token.',
    {},
    challenge('invalid_token'),
  )

export const keyRevoked = (): Problem =>
  new Problem(
    401,
    'key_revoked',
    'The API key was revoked. Use another key.',
    {},
    challenge('invalid_token'),
  )

export const keyExpired = (): Problem =>
  new Problem(
    401,
    'key_expired',
    'The API key has expired. Create a new one with `sluice keys add`.',
    {},
    challenge('invalid_token'),
  )

const pairAgain = 'To sign in again, run `sluice pair` and open the link that it prints.'

export const browserSignedOut = (): Problem =>
  new Problem(401, 'browser_signed_out', `This browser was signed out. ${pairAgain}`)

export const browserExpired = (): Problem =>
  new Problem(401, 'browser_expired', `The pairing of this browser has expired. ${pairAgain}`)

/** For both who come after a copy was used: the server cannot know which of them is the owner. */
export const cookieCopied = (): Problem =>
  new Problem(
    401,
    'browser_signed_out',
    `An old cookie of this browser was used again, so somebody may have copied it. The browser was signed out. ${pairAgain}`,
  )

export const pairingCodeInvalid = (): Problem =>
  new Problem(
    401,
    'pairing_code_invalid',
    'The pairing code is wrong, was already used, or has expired. Make a new one with `sluice pair`.',
  )

const challenge = (error?: string): Record<string, string> => ({
  'WWW-Authenticate': error === undefined ? 'Bearer' : `Bearer error="${error}"`,
})
