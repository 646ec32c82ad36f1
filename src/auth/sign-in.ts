import { allScopes } from '../api/scopes.ts'
import type { PairedBrowser, Scope } from '../api/types.ts'
import type { SharedLog } from '../log/shared-log.ts'
import { Problem } from '../shared/problem.ts'
import type { Access } from './auth.ts'
import type { BrowserCookies } from './browser-cookie.ts'
import { type Browsers, browserInfoOf } from './browsers.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { pairingCodeInvalid } from './token-problems.ts'

/** What is known about a browser that signs in. */
export interface BrowserDescription {
  name: string
  address: string | undefined
  /** Whether the browser reached the server over HTTPS. */
  isSecure: boolean
}

/** A browser that has just signed in. */
export interface SignedIn extends PairedBrowser {
  /** The `Set-Cookie` header of the response. */
  setCookie: string
}

/** Pairs browsers, and signs them in and out. */
export interface SignIn {
  /**
   * Makes a code that pairs one browser, within two minutes. The browser gets the scopes of `access`,
   * or fewer, and ends with its key; without `access`, it gets all scopes. Throws a `Problem` 403.
   */
  createCode(access?: Access, scopes?: readonly Scope[]): { code: string; expiresAt: number }
  /** Pairs a browser. Throws a `Problem` 401 for a code that is wrong, used or expired. */
  pair(code: string, browser: BrowserDescription): Promise<SignedIn>
  /** Signs a browser in with the scopes of an API key, until the key ends. Throws a `Problem` 403. */
  withKey(access: Access, browser: BrowserDescription): Promise<SignedIn>
  /** Signs the browser of a request out. Returns the `Set-Cookie` header that deletes its cookie. */
  signOut(access: Access, isSecure: boolean): Promise<string>
}

/** What a pairing code stands for. */
interface Grant {
  scopes: readonly Scope[]
  keyId?: string | undefined
}

interface SignInParts {
  browsers: Browsers
  cookies: BrowserCookies
  /** Absent when one process has the log open. */
  shared?: Pick<SharedLog, 'codes'> | undefined
  now(): number
}

export const createSignIn = ({ browsers, cookies, shared, now }: SignInParts): SignIn => {
  const codes = createOneTimeCodes<Grant>({
    ...{ prefix: 'pair_', ttlMs: 120_000, limit: 20, now },
    shared: shared && { group: 'pair', codes: shared.codes },
  })

  const add = async (
    { scopes, keyId }: Grant,
    { name, address, isSecure }: BrowserDescription,
  ): Promise<SignedIn> => {
    const { record, secret, pageKey } = await browsers.create({ name, scopes, keyId, address })
    return {
      browser: browserInfoOf(record, record.id),
      pageKey,
      setCookie: cookies.write({ id: record.id, secret }, cookieMs, isSecure),
    }
  }

  return {
    createCode(access, scopes = [...(access?.scopes ?? allScopes)]) {
      // A browser lasts for months, and a token for minutes.
      if (access?.isToken)
        throw new Problem(403, 'key_required', 'Pair with an API key, not with a token.')
      const excess = scopes.filter((each) => access?.scopes.has(each) === false)
      if (excess.length > 0)
        throw new Problem(
          403,
          'wrong_scope',
          `A browser cannot get scopes that you lack: ${excess.join(', ')}.`,
          { missing: excess },
        )
      return codes.create({ scopes, keyId: access?.keyId })
    },
    async pair(code, browser) {
      const grant = await codes.redeem(code)
      if (!grant) throw pairingCodeInvalid()
      return add(grant, browser)
    },
    async withKey(access, browser) {
      if (access.actor.kind !== 'key' || access.isToken)
        throw new Problem(403, 'key_required', 'Sign in with an API key, not with a token.')
      return add({ scopes: [...access.scopes], keyId: access.keyId }, browser)
    },
    async signOut({ actor }, isSecure) {
      if (actor.kind === 'browser') await browsers.revoke(actor.id)
      return cookies.clear(isSecure)
    },
  }
}

/** The server decides when a browser must be paired again; the cookie only has to last as long. */
const cookieMs = 90 * 24 * 60 * 60 * 1000
