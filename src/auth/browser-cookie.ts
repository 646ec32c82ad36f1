/** The secret of a paired browser, as its cookie holds it. */
export interface BrowserCookie {
  id: string
  secret: string
}

/** Reads and writes the cookie of paired browsers. */
export interface BrowserCookies {
  /** The cookie in a `Cookie` header; undefined when it is missing or malformed. */
  read(header: string | undefined, isSecure: boolean): BrowserCookie | undefined
  /** The value of a `Set-Cookie` header. */
  write(cookie: BrowserCookie, maxAgeMs: number, isSecure: boolean): string
  /** The value of a `Set-Cookie` header that deletes the cookie. */
  clear(isSecure: boolean): string
}

/**
 * Browsers send cookies to every port of a host. So the name contains an id of the data directory, and
 * two servers on one machine do not overwrite each other’s cookie.
 */
export const createBrowserCookies = (serverId: string): BrowserCookies => {
  // Browsers accept a cookie with this prefix only over HTTPS, and from this host alone.
  const nameFor = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}sluice-${serverId}`
  const format = (value: string, maxAgeMs: number, isSecure: boolean): string =>
    [
      `${nameFor(isSecure)}=${value}`,
      'Path=/',
      `Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1000))}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(isSecure ? ['Secure'] : []),
    ].join('; ')

  return {
    read(header = '', isSecure) {
      const start = `${nameFor(isSecure)}=`
      const pair = header.split(';').find((each) => each.trimStart().startsWith(start))
      const value = pair?.trim().slice(start.length) ?? ''
      const { id, secret } = /^(?<id>[0-9a-f]{16})\.(?<secret>[\w-]{43})$/.exec(value)?.groups ?? {}
      return id === undefined || secret === undefined ? undefined : { id, secret }
    },
    write: ({ id, secret }, maxAgeMs, isSecure) => format(`${id}.${secret}`, maxAgeMs, isSecure),
    clear: (isSecure) => format('', 0, isSecure),
  }
}
