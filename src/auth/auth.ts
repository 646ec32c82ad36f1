import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, IssuedToken, NewKey, Scope } from '../api/types.ts'
import type { Actor } from '../events/types.ts'
import type { RecordAction } from '../log/auditor.ts'
import type { KeyStore, SessionRange } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { createApiKeys } from './api-keys.ts'
import { bearerOf } from './bearer.ts'
import { issueToken } from './issue-token.ts'
import { type KeyChain, loadKeyChain } from './key-chain.ts'
import { createLifetimes, neverAborts } from './lifetimes.ts'
import { keyExpired, tokenExpired } from './token-problems.ts'
import { type Claims, createTokens } from './tokens.ts'

/** What a request may do, and for how long. */
export interface Access {
  readonly actor: Actor
  readonly scopes: ReadonlySet<Scope>
  /** The key that was sent, or that the token was issued from. Absent when no token is required. */
  readonly keyId?: string
  /** The key, the one that created it, and so on: each can have quotas. */
  readonly keys?: readonly KeyRecord[]
  /** The sessions that are visible. Absent when all are. */
  readonly range?: SessionRange
  /** When the token or its key expires, in ms since 1970. Absent when neither does. */
  readonly expiresAt?: number
  /**
   * Aborts when the token expires or its key is revoked; the reason is the `Problem` to send.
   * All requests with the same token share it, so remove your listeners when you are done.
   */
  readonly signal: AbortSignal
}

/** Authentication by API keys, and by short tokens that are issued from them. */
export interface Auth {
  /** Reads an `Authorization` header. Throws a `Problem` 401. */
  authenticate(authorization: string | undefined): Promise<Access>
  /** Issues a short token with the same scopes or fewer. Throws a `Problem` 403 or 422. */
  issueToken(options: TokenOptions): Promise<IssuedToken>
  readonly keys: {
    /**
     * Creates a key. The result is the only place where the key itself appears. With an `access`, the
     * key may do no more than that: otherwise it throws a `Problem` 403. Throws a `Problem` 422 for an
     * invalid request.
     */
    create(request: NewKey, access?: Access, by?: Actor): Promise<CreatedKey>
    /** All keys, without the keys themselves. */
    list(): Promise<ApiKey[]>
    /**
     * Revokes a key, all keys that it created, and all tokens issued from them, at once. Throws a
     * `Problem` 404.
     */
    revoke(id: string, by?: Actor): Promise<void>
  }
  /** Stops the timers that wait for tokens to expire. */
  close(): void
}

export interface TokenOptions {
  /** The token is issued on behalf of this access. */
  access: Access
  /** Default: those of `access`. */
  scopes?: readonly Scope[] | undefined
  /** Default: 15 minutes. At most a day, and never longer than `access` itself lasts. */
  ttlSeconds?: number | undefined
}

export interface AuthOptions {
  keys: KeyStore
  /** Signs tokens: see `loadSecret`. */
  secret: Uint8Array
  /** False lets everyone do everything. Use it on a loopback address only. */
  isRequired?: boolean
  now?(): number
  /** Records what was done to keys. */
  recordAction?: RecordAction
}

export const createAuth = (options: AuthOptions): Auth => {
  const { keys: store, isRequired = true, now = Date.now } = options
  const tokens = createTokens(options.secret, now)
  const lifetimes = createLifetimes(now)
  const keys = createApiKeys(store, now)

  const accessOf = (
    { record: { id: keyId, name }, keys: chain, scopes, range, ...key }: KeyChain,
    token?: Claims,
  ): Access => {
    const expiresAt = earlier(key.expiresAt, token?.expiresAt)
    const expired = expiresAt === key.expiresAt ? keyExpired : tokenExpired
    return {
      actor: { kind: 'key', id: keyId, name },
      // A key may have lost scopes since the token was issued.
      scopes: token ? new Set(token.scopes.filter((scope) => scopes.has(scope))) : scopes,
      keyId,
      keys: chain,
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
    async authenticate(authorization) {
      if (!isRequired) return fullAccess
      const token = bearerOf(authorization)
      if (keys.isKey(token)) return accessOf(await loadUsable(await keys.find(token)))
      const claims = await tokens.verify(token)
      return accessOf(await loadUsable(await store.get(claims.keyId)), claims)
    },

    issueToken: (wanted) => issueToken(wanted, tokens, now()),

    keys: {
      async create(request, access, by = access?.actor) {
        const created = await keys.create(request, access)
        const { id, name, scopes } = created
        const detail = `${name} (${id}): ${scopes.join(', ')}`
        options.recordAction?.({ action: 'key_created', by, detail })
        return created
      },
      list: keys.list,
      async revoke(id, by) {
        for (const each of await keys.revoke(id)) lifetimes.revoke(each)
        options.recordAction?.({ action: 'key_revoked', by, detail: id })
      },
    },
    close: () => lifetimes.close(),
  }
}

/** The sender of a request that carries no credentials. */
export const nobody: Actor = { kind: 'nobody', id: 'nobody', name: 'nobody' }

/** The access of every request when no token is required. */
const fullAccess: Access = { actor: nobody, scopes: new Set(allScopes), signal: neverAborts }

const earlier = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? (left ?? right) : Math.min(left, right)

const touchEveryMs = 60_000
