import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { lowerOf } from '../shared/lower-of.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Access } from './auth.ts'
import { type KeyChain, loadKeyChain } from './key-chain.ts'
import type { Lifetimes } from './lifetimes.ts'
import { keyExpired, tokenExpired } from './token-problems.ts'
import type { Claims, Tokens } from './tokens.ts'

/** What API keys, and the tokens issued from them, may do. */
export interface KeyAccess {
  /** The access of an API key or a token. Throws a `Problem` 401. */
  accept(token: string): Promise<Access>
  /** A key with those that it came from. Throws a `Problem` 401 when one of them has ended. */
  chainOf(keyId: string): Promise<KeyChain>
}

interface KeyAccessParts {
  store: KeyStore
  keys: Pick<ApiKeys, 'isKey' | 'find'>
  tokens: Tokens
  lifetimes: Lifetimes
  now(): number
}

export const createKeyAccess = (parts: KeyAccessParts): KeyAccess => {
  const { store, keys, tokens, lifetimes, now } = parts

  const accessOf = (
    { record: { id: keyId, name }, keys: chain, scopes, range, ...key }: KeyChain,
    token?: Claims,
  ): Access => {
    const expiresAt = lowerOf(key.expiresAt, token?.expiresAt)
    const expired = expiresAt === key.expiresAt ? keyExpired : tokenExpired
    return {
      actor: { kind: 'key', id: keyId, name },
      // A key may have lost scopes since the token was issued.
      scopes: token ? new Set(token.scopes.filter((scope) => scopes.has(scope))) : scopes,
      keyId,
      keys: chain,
      ...(token && { isToken: true }),
      ...(range && { range }),
      ...(expiresAt !== undefined && { expiresAt }),
      // Created on first use: most requests end before anything can happen to their token.
      get signal() {
        return lifetimes.signalFor(keyId, expiresAt, expired)
      },
    }
  }

  /** Stores when a key was last used, at most once a minute and without waiting for the write. */
  const recordUse = ({ id, lastUsedAt = 0 }: KeyRecord): void => {
    if (now() - lastUsedAt < touchEveryMs) return
    store.touch(id, now()).catch((cause: unknown) => {
      if (!(cause instanceof LogFault)) throw cause
    })
  }

  const loadUsable = async (record: KeyRecord | undefined): Promise<KeyChain> => {
    const chain = await loadKeyChain(store, record, now())
    recordUse(chain.record)
    return chain
  }

  return {
    async accept(token) {
      if (keys.isKey(token)) return accessOf(await loadUsable(await keys.find(token)))
      const claims = await tokens.verify(token)
      return accessOf(await loadUsable(await store.get(claims.keyId)), claims)
    },
    chainOf: async (keyId) => loadUsable(await store.get(keyId)),
  }
}

const touchEveryMs = 60_000
