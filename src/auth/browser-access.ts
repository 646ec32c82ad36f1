import { scopesOf } from './api-keys.ts'
import type { Access, BrowserCredentials } from './auth.ts'
import type { BrowserCookies } from './browser-cookie.ts'
import type { Browsers } from './browsers.ts'
import type { KeyAccess } from './key-access.ts'
import type { Lifetimes } from './lifetimes.ts'
import { browserExpired } from './token-problems.ts'

interface BrowserAccessParts {
  browsers: Browsers
  cookies: BrowserCookies
  lifetimes: Lifetimes
  keyAccess: Pick<KeyAccess, 'chainOf'>
  now(): number
}

/**
 * Returns what a request of a paired browser may do; undefined when it has no cookie of this server. A
 * browser that signed in with an API key may do no more than the key, and ends with it. Throws a
 * `Problem` 401 when the cookie is not valid.
 */
export const createBrowserAccess =
  ({ browsers, cookies, lifetimes, keyAccess, now }: BrowserAccessParts) =>
  async (sent: BrowserCredentials): Promise<Access | undefined> => {
    const { isSecure, pageKey, remoteAddress: address } = sent
    const cookie = cookies.read(sent.cookie, isSecure)
    if (!cookie) return undefined
    const { record, endsAt, newSecret } = await browsers.accept({ cookie, pageKey, address })
    const { id, name, keyId } = record
    const key = keyId === undefined ? undefined : await keyAccess.chainOf(keyId)
    const scopes = scopesOf(record).filter((each) => key?.scopes.has(each) !== false)
    const expiresAt = Math.min(endsAt, key?.expiresAt ?? endsAt)
    return {
      actor: { kind: 'browser', id, name },
      scopes: new Set(scopes),
      ...(key && { keyId: key.record.id, keys: key.keys }),
      ...(key?.range && { range: key.range }),
      ...(newSecret !== undefined && {
        setCookie: cookies.write({ id, secret: newSecret }, endsAt - now(), isSecure),
      }),
      expiresAt,
      get signal() {
        return lifetimes.signalFor(id, expiresAt, browserExpired)
      },
    }
  }
