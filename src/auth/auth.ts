export type { Scope } from '../api/types.ts'

import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, IssuedToken, NewKey, Scope } from '../api/types.ts'
import type { KeyStore } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { KeyRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import { createApiKeys, scopesOf } from './api-keys.ts'
import { bearerOf } from './bearer.ts'
import { createLifetimes, untilNever } from './lifetimes.ts'
import { keyRevoked, tokenInvalid } from './refusals.ts'
import { createTokens } from './tokens.ts'

/** What whoever asks may do, and for how long. */
export interface Access {
  readonly scopes: ReadonlySet<Scope>
  /** The key that was shown, or that the token was issued from. Absent where none is needed. */
  readonly keyId?: string
  /** When the token ends, in ms since 1970; a key has no end. */
  readonly expiresAt?: number
  /**
   * Aborted when the token expires or its key is revoked; the reason is the `Problem` to tell.
   * Shared by all who show the same: whoever listens must also stop listening.
   */
  readonly signal: AbortSignal
}

export interface Auth {
  /** Who asks, by the `Authorization` header. Throws a `Problem` 401. */
  check(authorization: string | undefined): Promise<Access>
  /** A short token with the same scopes or fewer. */
  issue(asked: TokenOptions): Promise<IssuedToken>
  readonly keys: {
    /** The only moment at which the key itself is seen. */
    add(asked: NewKey): Promise<CreatedKey>
    list(): Promise<ApiKey[]>
    /** At once, with all tokens issued from it. */
    revoke(id: string): Promise<void>
  }
  close(): void
}

export interface TokenOptions {
  access: Access
  /** Those of `access` unless told otherwise. */
  scopes?: readonly Scope[] | undefined
  /** 15 minutes unless told otherwise, a day at most; never longer than what it is issued from. */
  ttlSeconds?: number | undefined
}

export interface AuthOptions {
  keys: KeyStore
  /** What tokens are signed with: see `loadSecret`. */
  secret: Uint8Array
  /** False: everybody may do everything. For loopback only. */
  isRequired?: boolean
  now?(): number
}

/** Keeps the door: API keys, and short tokens issued from them. */
export const createAuth = (options: AuthOptions): Auth => {
  const { keys: store, isRequired = true, now = Date.now } = options
  const tokens = createTokens(options.secret, now)
  const lifetimes = createLifetimes(now)
  const keys = createApiKeys(store, now)

  const accessOf = (granted: Iterable<Scope>, keyId: string, expiresAt?: number): Access => ({
    scopes: new Set(granted),
    keyId,
    ...(expiresAt !== undefined && { expiresAt }),
    // Made when it is asked for: most requests are over before anything can happen to their token.
    get signal() {
      return lifetimes.signal(keyId, expiresAt)
    },
  })

  /** Coarsely, and nobody waits for it: a key that is used all the time costs no writes. */
  const noteUse = ({ id, lastUsedAt = 0 }: KeyRecord): void => {
    if (now() - lastUsedAt < touchEveryMs) return
    store.touch(id, now()).catch((cause: unknown) => {
      if (!(cause instanceof LogFault)) throw cause
    })
  }

  const checkUsable = (record: KeyRecord | undefined): KeyRecord => {
    if (!record) throw tokenInvalid()
    if (record.revokedAt !== undefined) throw keyRevoked()
    noteUse(record)
    return record
  }

  return {
    async check(authorization) {
      if (!isRequired) return everything
      const shown = bearerOf(authorization)
      if (keys.isKey(shown)) {
        const record = checkUsable(await keys.find(shown))
        return accessOf(scopesOf(record), record.id)
      }
      const { keyId, scopes, expiresAt } = await tokens.read(shown)
      checkUsable(await store.get(keyId))
      return accessOf(scopes, keyId, expiresAt)
    },

    async issue({ access, scopes = [...access.scopes], ttlSeconds = 15 * 60 }) {
      access.signal.throwIfAborted()
      const granted = [...new Set(scopes)]
      const excess = granted.filter((each) => !access.scopes.has(each))
      if (excess.length > 0)
        throw new Problem(
          403,
          'wrong_scope',
          `A token cannot have more than what it is issued from: ${excess.join(', ')}.`,
          { missing: excess },
        )
      if (granted.length === 0) throw unusable('A token needs a scope.')
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > longestTtlSeconds)
        throw unusable(`A token lives for 1 to ${longestTtlSeconds} seconds.`)
      const wanted = now() + ttlSeconds * 1000
      const until = Math.min(wanted, access.expiresAt ?? wanted)
      return tokens.issue({ keyId: access.keyId, scopes: granted, expiresAt: until })
    },

    keys: {
      add: keys.add,
      list: keys.list,
      async revoke(id) {
        await keys.revoke(id)
        lifetimes.revoke(id)
      },
    },
    close: () => lifetimes.close(),
  }
}

/** For everybody, where no token is needed. */
const everything: Access = { scopes: new Set(allScopes), signal: untilNever }

const touchEveryMs = 60_000
const longestTtlSeconds = 24 * 60 * 60

const unusable = (detail: string): Problem => new Problem(422, 'invalid', detail)
