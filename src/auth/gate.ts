import type { Scope } from '../api/types.ts'
import { Problem } from '../shared/problem.ts'
import type { Access, Auth } from './auth.ts'
import { callerOf } from './limits/caller.ts'
import type { Limits } from './limits/limits.ts'
import type { Origins } from './origins.ts'

/** A request, as far as its right to be heard is concerned. */
export interface RequestCredentials {
  host: string | undefined
  origin: string | undefined
  authorization: string | undefined
  remoteAddress: string | undefined
}

export interface GateOptions {
  auth: Auth
  origins: Origins
  limits: Pick<Limits, 'requests' | 'refusals'>
}

/** What every request passes before anything is done for it, on whichever way it came. */
export const createGate = ({ auth, origins, limits }: GateOptions) => {
  const check = async ({ authorization, remoteAddress }: RequestCredentials): Promise<Access> => {
    try {
      return await auth.check(authorization)
    } catch (cause) {
      // Only those who are refused: behind a proxy, everybody has the same address.
      if (cause instanceof Problem) limits.refusals.take(callerOf(remoteAddress))
      throw cause
    }
  }

  return {
    /** Where no token is needed: pages, files, health. */
    look: (knock: RequestCredentials): void => origins.check(knock),

    /** Who asks. Throws a `Problem`: 401, 403 or 429. */
    async enter(knock: RequestCredentials, scope?: Scope): Promise<Access> {
      origins.check(knock)
      const access = await check(knock)
      limits.requests.take(limitKeyOf(access, knock))
      if (scope !== undefined) demand(access, scope)
      return access
    },
  }
}
export type Gate = ReturnType<typeof createGate>

/** Refuses whoever may not do this. Throws a `Problem` 403. */
export const demand = ({ scopes }: Access, scope: Scope): void => {
  if (scopes.has(scope)) return
  throw new Problem(403, 'wrong_scope', `This needs a token with the scope ${scope}.`, {
    needed: scope,
  })
}

/** Whom limits count for: the key, or the address where no key is needed. */
export const limitKeyOf = (
  { keyId }: Access,
  { remoteAddress }: Pick<RequestCredentials, 'remoteAddress'>,
) => keyId ?? callerOf(remoteAddress)
