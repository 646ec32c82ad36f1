import { randomBytes } from 'node:crypto'
import { allScopes } from '../api/scopes.ts'
import type { ApiKey, CreatedKey, IssuedToken, NewKey, Scope } from '../api/types.ts'
import type { Actor } from '../events/types.ts'
import { type RecordAction, terminalActor } from '../log/auditor.ts'
import type { KeyStore, RecordStore, SessionRange } from '../log/log.ts'
import type { SharedLog } from '../log/shared-log.ts'
import type { BrowserRecord, KeyRecord } from '../log/types.ts'
import { createApiKeys } from './api-keys.ts'
import { bearerOf } from './bearer.ts'
import { createBrowserAccess } from './browser-access.ts'
import { createBrowserCookies } from './browser-cookie.ts'
import { type Browsers, createBrowsers } from './browsers.ts'
import { followRevocations } from './follow-revocations.ts'
import { issueToken } from './issue-token.ts'
import { createKeyAccess } from './key-access.ts'
import { createLifetimes, neverAborts } from './lifetimes.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { tokenInvalid } from './token-problems.ts'
import { createTokens } from './tokens.ts'

/** What a request may do, and for how long. */
export interface Access {
  readonly actor: Actor
  readonly scopes: ReadonlySet<Scope>
  /** The key that was sent, or that the token was issued from. Absent when no token is required. */
  readonly keyId?: string
  /** Whether a short token was sent, not the key itself. */
  readonly isToken?: true
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
  /** A `Set-Cookie` header to send with the response: the browser gets a new secret. */
  readonly setCookie?: string
}

/** What a browser sends to prove who it is. */
export interface BrowserCredentials {
  /** The `Cookie` header. */
  cookie: string | undefined
  /** The `Sluice-Page` header: the key that only pages of this origin can read. */
  pageKey: string | undefined
  /** Whether the browser reached the server over HTTPS. */
  isSecure: boolean
  remoteAddress: string | undefined
}

/** Authentication by API keys, short tokens that are issued from them, and cookies of browsers. */
export interface Auth {
  /**
   * Reads an `Authorization` header; without one, the cookie of a paired browser. Throws a `Problem`
   * 401.
   */
  authenticate(authorization: string | undefined, browser?: BrowserCredentials): Promise<Access>
  /** Whether a request without an `Authorization` header has the cookie of a paired browser. */
  hasCookie(browser: Pick<BrowserCredentials, 'cookie' | 'isSecure'>): boolean
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
  readonly browsers: Pick<Browsers, 'list' | 'rename' | 'revoke'>
  /** Pairs browsers, and signs them in and out. */
  readonly signIn: SignIn
  /** Makes a bearer token for the command line on this machine: it works once, for 10 seconds. */
  createTicket(): string
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
  browsers: RecordStore<BrowserRecord>
  /** Present when several nodes accept the same keys and browsers. */
  shared?: SharedLog | undefined
  /** Part of the name of the cookie, because browsers send cookies to every port of a host. */
  serverId: string
  /** Signs tokens. Default: a random one, so that tokens end with the process. */
  secret?: Uint8Array
  /** False lets everyone do everything. Use it on a loopback address only. */
  isRequired?: boolean
  now?(): number
  /** Records what was done to keys. */
  recordAction?: RecordAction
}

export const createAuth = (options: AuthOptions): Auth => {
  const { keys: store, shared, isRequired = true, now = Date.now } = options
  const tokens = createTokens(options.secret ?? randomBytes(32), now)
  const lifetimes = createLifetimes(now)
  const keys = createApiKeys(store, now)
  const browsers = createBrowsers({ store: options.browsers, now, onRevoked: lifetimes.revoke })
  const cookies = createBrowserCookies(options.serverId)
  const tickets = createOneTimeCodes<true>({ prefix: 'ticket_', ttlMs: 10_000, limit: 100, now })
  const keyAccess = createKeyAccess({ store, keys, tokens, lifetimes, now })
  const acceptBrowser = createBrowserAccess({ browsers, cookies, lifetimes, keyAccess, now })

  const unfollow = shared && followRevocations({ shared, keys: store, browsers, lifetimes })

  const acceptBearer = async (token: string): Promise<Access> => {
    if (!tickets.isCode(token)) return keyAccess.accept(token)
    if ((await tickets.redeem(token)) === undefined) throw tokenInvalid()
    return localAccess
  }

  return {
    async authenticate(authorization, browser) {
      if (!isRequired) return fullAccess
      const access =
        authorization === undefined && browser ? await acceptBrowser(browser) : undefined
      return access ?? acceptBearer(bearerOf(authorization))
    },
    hasCookie: ({ cookie, isSecure }) => cookies.read(cookie, isSecure) !== undefined,

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
        const ended = await keys.revoke(id)
        for (const each of ended) lifetimes.revoke(each)
        await browsers.revokeOfKeys(ended)
        options.recordAction?.({ action: 'key_revoked', by, detail: id })
      },
    },
    browsers,
    signIn: createSignIn({ browsers, cookies, shared, now }),
    createTicket: () => tickets.create(true).code,
    close() {
      unfollow?.()
      lifetimes.close()
    },
  }
}

/** The sender of a request that carries no credentials. */
export const nobody: Actor = { kind: 'nobody', id: 'nobody', name: 'nobody' }

/** The access of every request when no token is required. */
const fullAccess: Access = { actor: nobody, scopes: new Set(allScopes), signal: neverAborts }

/** The access of the command line on this machine, which could read the data directory itself. */
const localAccess: Access = {
  actor: terminalActor,
  scopes: new Set(allScopes),
  signal: neverAborts,
}
