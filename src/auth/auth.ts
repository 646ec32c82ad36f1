import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, IssuedToken, NewKey, Scope } from '../api/types.ts'
import type { Actor } from '../events/types.ts'
import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import { createApiKeys, scopesOf } from './api-keys.ts'
import { bearerOf } from './bearer.ts'
import { createLifetimes, neverAborts } from './lifetimes.ts'
import { keyRevoked, tokenInvalid } from './token-problems.ts'
import { createTokens } from './tokens.ts'

/** What a request may do, and for how long. */
export interface Access {
  readonly actor: Actor
  readonly scopes: ReadonlySet<Scope>
  /** The key that was sent, or that the token was issued from. Absent when no token is required. */
  readonly keyId?: string
  /** When the token expires, in ms since 1970. Absent for a key, which does not expire. */
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
    /** Creates a key. The result is the only place where the key itself appears. */
    create(request: NewKey): Promise<CreatedKey>
    /** All keys, without the keys themselves. */
    list(): Promise<ApiKey[]>
    /** Revokes a key and all tokens issued from it, at once. Throws a `Problem` 404. */
    revoke(id: string): Promise<void>
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
}

export const createAuth = (options: AuthOptions): Auth => {
  const { keys: store, isRequired = true, now = Date.now } = options
  const tokens = createTokens(options.secret, now)
  const lifetimes = createLifetimes(now)
  const keys = createApiKeys(store, now)

  const accessOf = (
    { id: keyId, name }: KeyRecord,
    scopes: Iterable<Scope>,
    expiresAt?: number,
  ): Access => ({
    actor: { kind: 'key', id: keyId, name },
    scopes: new Set(scopes),
    keyId,
    ...(expiresAt !== undefined && { expiresAt }),
    // Created on first use: most requests end before anything can happen to their token.
    get signal() {
      return lifetimes.signalFor(keyId, expiresAt)
    },
  })

  /** Stores when a key was last used, at most once a minute and without waiting for the write. */
  const recordUse = ({ id, lastUsedAt = 0 }: KeyRecord): void => {
    if (now() - lastUsedAt < touchEveryMs) return
    store.touch(id, now()).catch((cause: unknown) => {
      if (!(cause instanceof LogFault)) throw cause
    })
  }

  const checkUsable = (record: KeyRecord | undefined): KeyRecord => {
    if (!record) throw tokenInvalid()
    if (record.revokedAt !== undefined) throw keyRevoked()
    recordUse(record)
    return record
  }

  return {
    async authenticate(authorization) {
      if (!isRequired) return fullAccess
      const token = bearerOf(authorization)
      if (keys.isKey(token)) {
        const record = checkUsable(await keys.find(token))
        return accessOf(record, scopesOf(record))
      }
      const { keyId, scopes, expiresAt } = await tokens.verify(token)
      return accessOf(checkUsable(await store.get(keyId)), scopes, expiresAt)
    },

    async issueToken({ access, scopes = [...access.scopes], ttlSeconds = 15 * 60 }) {
      access.signal.throwIfAborted()
      const requested = [...new Set(scopes)]
      const excess = requested.filter((each) => !access.scopes.has(each))
      if (excess.length > 0)
        throw new Problem(
          403,
          'wrong_scope',
          `A token cannot have scopes that your own token lacks: ${excess.join(', ')}.`,
          { missing: excess },
        )
      if (requested.length === 0) throw invalid('A token needs at least one scope.')
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > maxTtlSeconds)
        throw invalid(`ttlSeconds must be an integer from 1 to ${maxTtlSeconds}.`)
      const requestedEnd = now() + ttlSeconds * 1000
      const expiresAt = Math.min(requestedEnd, access.expiresAt ?? requestedEnd)
      return tokens.issue({ keyId: access.keyId, scopes: requested, expiresAt })
    },

    keys: {
      create: keys.create,
      list: keys.list,
      async revoke(id) {
        await keys.revoke(id)
        lifetimes.revoke(id)
      },
    },
    close: () => lifetimes.close(),
  }
}

/** The sender of a request that carries no credentials. */
export const nobody: Actor = { kind: 'nobody', id: 'nobody', name: 'nobody' }

/** The access of every request when no token is required. */
const fullAccess: Access = { actor: nobody, scopes: new Set(allScopes), signal: neverAborts }

const touchEveryMs = 60_000
const maxTtlSeconds = 24 * 60 * 60

const invalid = (detail: string): Problem => new Problem(422, 'invalid', detail)
