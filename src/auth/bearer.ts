import { tokenInvalid, tokenMissing } from './token-problems.ts'

/** Longer than any token that we issue. */
const maxLength = 4096

/** The token in an `Authorization` header. Throws a `Problem` 401. */
export const bearerOf = (authorization: string | undefined): string => {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) throw tokenMissing()
  const token = authorization.slice('bearer '.length).trim()
  if (token === '' || token.length > maxLength || !/^[\w.-]+$/.test(token)) throw tokenInvalid()
  return token
}
