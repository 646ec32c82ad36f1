import { tokenInvalid, tokenMissing } from './refusals.ts'

/** Longer than any token of ours: nothing is computed for what cannot be one. */
const longest = 4096

/** The token in an `Authorization` header. */
export const bearerOf = (authorization: string | undefined): string => {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) throw tokenMissing()
  const token = authorization.slice('bearer '.length).trim()
  if (token === '' || token.length > longest || !/^[\w.-]+$/.test(token)) throw tokenInvalid()
  return token
}
