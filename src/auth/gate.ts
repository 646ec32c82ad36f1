import type { IncomingMessage } from 'node:http'
import type { Scope } from '../api/types.ts'
import type { RecordAction } from '../log/auditor.ts'
import { Problem, problems } from '../shared/problem.ts'
import { type Access, type Auth, nobody } from './auth.ts'
import { neverAborts } from './lifetimes.ts'
import { callerOf } from './limits/caller.ts'
import type { Limits } from './limits/limits.ts'
import type { Origins } from './origins.ts'

/** The parts of a request that decide whether it is served. */
export interface RequestCredentials {
  method: string | undefined
  host: string | undefined
  origin: string | undefined
  /** `Sec-Fetch-Site`: where the page that sends the request comes from, as the browser sees it. */
  fetchSite: string | undefined
  authorization: string | undefined
  cookie: string | undefined
  /** `Sluice-Page`: the key that only pages of this origin can read. */
  pageKey: string | undefined
  remoteAddress: string | undefined
}

/** What the token of a request must allow: `any` accepts every valid token, null needs no token. */
export type RequiredScope = Scope | 'any' | null

/** What every request passes before anything is done for it. */
export interface Gate {
  /** Checks host and origin. Throws a `Problem` 403. */
  checkOrigin(credentials: RequestCredentials): void
  /**
   * Checks host and origin (of a request with a cookie, strictly); unless the scope is null, then token,
   * rate limit and scope. Throws a `Problem`: 401, 403 or 429.
   */
  authorize(credentials: RequestCredentials, scope: RequiredScope): Promise<Access>
}

export interface GateOptions {
  auth: Auth
  origins: Origins
  limits: Pick<Limits, 'requests' | 'refusals'>
  /** Records credentials that are wrong or have ended. */
  recordAction?: RecordAction
}

export const createGate = ({ auth, origins, limits, recordAction }: GateOptions): Gate => {
  const authenticate = async (credentials: RequestCredentials): Promise<Access> => {
    const browser = { ...credentials, isSecure: origins.isSecure(credentials) }
    const isBrowser = credentials.authorization === undefined && auth.hasCookie(browser)
    if (isBrowser) origins.checkPage(credentials)
    try {
      return await auth.authenticate(credentials.authorization, browser)
    } catch (cause) {
      // Only failed attempts count by address: behind a proxy, all callers have the same one.
      if (!(cause instanceof Problem)) throw cause
      limits.refusals.consume(callerOf(credentials.remoteAddress))
      if (isAttempt(cause, credentials)) recordAction?.(failedSignIn(cause, credentials))
      throw cause
    }
  }

  return {
    checkOrigin: origins.check,
    async authorize(credentials, scope) {
      origins.check(credentials)
      if (scope === null) return noAccess
      const access = await authenticate(credentials)
      limits.requests.consume(limitKeyOf(access, credentials))
      if (scope !== 'any') requireScope(access, scope)
      return access
    },
  }
}

const failedSignIn = ({ code }: Problem, { remoteAddress: address }: RequestCredentials) => ({
  action: 'sign_in_failed' as const,
  by: { ...nobody, ...(address !== undefined && { address }) },
  detail: problems[code].title,
})

/** Clients without a token, whose token has run out, or that do not yet have a page key are ordinary. */
const isAttempt = ({ code }: Problem, { pageKey }: RequestCredentials): boolean => {
  if (code === 'browser_signed_out') return pageKey !== undefined && pageKey !== ''
  return code === 'token_invalid' || code === 'key_revoked' || code === 'key_expired'
}

const noAccess: Access = { actor: nobody, scopes: new Set(), signal: neverAborts }

export const credentialsOf = ({
  method,
  headers,
  socket,
}: IncomingMessage): RequestCredentials => ({
  method,
  host: headers.host,
  origin: headers.origin,
  fetchSite: headerText(headers['sec-fetch-site']),
  authorization: headers.authorization,
  cookie: headers.cookie,
  pageKey: headerText(headers['sluice-page']),
  remoteAddress: socket.remoteAddress,
})

const headerText = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0]

/** Limits count requests per key or browser; per address when neither is required. */
export const limitKeyOf = (
  { actor: { kind, id } }: Access,
  { remoteAddress }: Pick<RequestCredentials, 'remoteAddress'>,
): string => (kind === 'key' || kind === 'browser' ? id : callerOf(remoteAddress))

/** Throws a `Problem` 403 when a token lacks a scope. */
export const requireScope = ({ scopes }: Access, scope: Scope): void => {
  if (scopes.has(scope)) return
  throw new Problem(403, 'wrong_scope', `This request needs a token with the scope "${scope}".`, {
    needed: scope,
  })
}
