import type { IncomingMessage } from 'node:http'
import type { Scope } from '../api/types.ts'
import { Problem } from '../shared/problem.ts'
import { type Access, type Auth, nobody } from './auth.ts'
import { neverAborts } from './lifetimes.ts'
import { callerOf } from './limits/caller.ts'
import type { Limits } from './limits/limits.ts'
import type { Origins } from './origins.ts'

/** The parts of a request that decide whether it is served. */
export interface RequestCredentials {
  host: string | undefined
  origin: string | undefined
  authorization: string | undefined
  remoteAddress: string | undefined
}

/** What the token of a request must allow: `any` accepts every valid token, null needs no token. */
export type RequiredScope = Scope | 'any' | null

/** What every request passes before anything is done for it. */
export interface Gate {
  /** Checks host and origin. Throws a `Problem` 403. */
  checkOrigin(credentials: RequestCredentials): void
  /**
   * Checks host and origin, then token, rate limit and scope, unless the scope is null. Throws a
   * `Problem`: 401, 403 or 429.
   */
  authorize(credentials: RequestCredentials, scope: RequiredScope): Promise<Access>
}

export interface GateOptions {
  auth: Auth
  origins: Origins
  limits: Pick<Limits, 'requests' | 'refusals'>
}

export const createGate = ({ auth, origins, limits }: GateOptions): Gate => {
  const authenticate = async (credentials: RequestCredentials): Promise<Access> => {
    try {
      return await auth.authenticate(credentials.authorization)
    } catch (cause) {
      // Only failed attempts count by address: behind a proxy, all callers have the same one.
      if (cause instanceof Problem) limits.refusals.consume(callerOf(credentials.remoteAddress))
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

const noAccess: Access = { actor: nobody, scopes: new Set(), signal: neverAborts }

export const credentialsOf = ({ headers, socket }: IncomingMessage): RequestCredentials => ({
  host: headers.host,
  origin: headers.origin,
  authorization: headers.authorization,
  remoteAddress: socket.remoteAddress,
})

/** Limits count requests per key; per address when no key is required. */
export const limitKeyOf = (
  { keyId }: Access,
  { remoteAddress }: Pick<RequestCredentials, 'remoteAddress'>,
): string => keyId ?? callerOf(remoteAddress)

/** Throws a `Problem` 403 when a token lacks a scope. */
export const requireScope = ({ scopes }: Access, scope: Scope): void => {
  if (scopes.has(scope)) return
  throw new Problem(403, 'wrong_scope', `This request needs a token with the scope "${scope}".`, {
    needed: scope,
  })
}
