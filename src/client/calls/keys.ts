import type {
  AccessInfo,
  ApiKey,
  CreatedKey,
  IssuedToken,
  KeyList,
  NewKey,
  PairedBrowser,
  Pairing,
  PairingRequest,
  PairRequest,
  SignInRequest,
  TokenRequest,
} from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Calls about tokens, and about signing a browser in and out. */
export interface AuthCalls {
  /** Issues a short-lived token from the key or token of this client, with fewer scopes if wanted. */
  token(request?: TokenRequest, options?: CallOptions): Promise<IssuedToken>
  /** Returns who this client is for the server, and what it may do. */
  access(options?: CallOptions): Promise<AccessInfo>
  /** Pairs this browser with the code of a pairing link. The response sets a cookie. */
  pair(request: PairRequest, options?: CallOptions): Promise<PairedBrowser>
  /** Signs this browser in with the API key of this client. The response sets a cookie. */
  signIn(request?: SignInRequest, options?: CallOptions): Promise<PairedBrowser>
  /** Signs this browser out. */
  signOut(options?: CallOptions): Promise<void>
  /** Makes a pairing link for another browser: it works once, for two minutes. */
  createPairing(request?: PairingRequest, options?: CallOptions): Promise<Pairing>
}

/** Calls about API keys. */
export interface KeyCalls {
  /** Returns all keys, without their secrets. */
  list(options?: CallOptions): Promise<ApiKey[]>
  /** Creates a key. Only this response contains the key itself. */
  create(key: NewKey, options?: CallOptions): Promise<CreatedKey>
  /** Revokes a key and all tokens that were issued from it, at once. */
  revoke(id: string, options?: CallOptions): Promise<void>
}

const isIssuedToken = hasFields<IssuedToken>('token', 'expiresAt', 'scopes')
const isPairedBrowser = hasFields<PairedBrowser>('browser', 'pageKey')
const isPairing = hasFields<Pairing>('url', 'expiresAt')
const isAccessInfo = hasFields<AccessInfo>('actor', 'scopes')
const isKeyList = hasFields<KeyList>('keys')
const isCreatedKey = hasFields<CreatedKey>('id', 'key')

export const authCalls = (caller: Caller): AuthCalls => ({
  token: (body = {}, options) =>
    caller.json({ method: 'POST', path: 'auth/token', body }, isIssuedToken, options),
  access: (options) => caller.json({ path: 'access' }, isAccessInfo, options),
  pair: (body, options) =>
    caller.json({ method: 'POST', path: 'auth/pair', body }, isPairedBrowser, options),
  signIn: (body = {}, options) =>
    caller.json({ method: 'POST', path: 'auth/sign-in', body }, isPairedBrowser, options),
  signOut: (options) => caller.empty({ method: 'POST', path: 'auth/logout' }, options),
  createPairing: (body = {}, options) =>
    caller.json({ method: 'POST', path: 'auth/pairing', body }, isPairing, options),
})

export const keyCalls = (caller: Caller): KeyCalls => ({
  list: async (options) => (await caller.json({ path: 'keys' }, isKeyList, options)).keys,
  create: (body, options) =>
    caller.json({ method: 'POST', path: 'keys', body }, isCreatedKey, options),
  revoke: (id, options) => caller.empty({ method: 'DELETE', path: path`keys/${id}` }, options),
})
