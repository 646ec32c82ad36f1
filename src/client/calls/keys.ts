import { createdKey, issuedToken, keyList } from '../../api/key.ts'
import type { NewKey, TokenRequest } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { path } from '../path.ts'

/** `auth` */
export const authCalls = (caller: Caller) => ({
  /** A short token from the key or token of this client, with fewer scopes if told so. */
  token: (body: TokenRequest = {}, options?: CallOptions) =>
    caller.get({ method: 'POST', path: 'auth/token', body }, issuedToken, options),
})

/** `keys` */
export const keyCalls = (caller: Caller) => ({
  list: async (options?: CallOptions) =>
    (await caller.get({ path: 'keys' }, keyList, options)).keys,
  /** The only time that the key itself is shown. */
  create: (body: NewKey, options?: CallOptions) =>
    caller.get({ method: 'POST', path: 'keys', body }, createdKey, options),
  /** At once, with all tokens made from it. */
  revoke: (id: string, options?: CallOptions) =>
    caller.done({ method: 'DELETE', path: path`keys/${id}` }, options),
})
