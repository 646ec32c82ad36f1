import { isIP } from 'node:net'
import { Problem } from '../shared/problem.ts'

export interface OriginOptions {
  /** The address that the server listens on. */
  host: string
  /** The URL that browsers use, when a proxy is in front of the server. */
  publicUrl?: string | undefined
}

/** The headers that say where a request comes from. */
export interface RequestOrigin {
  host: string | undefined
  origin: string | undefined
}

/** A request with a cookie. */
export interface PageRequest extends RequestOrigin {
  method: string | undefined
  /** The `Sec-Fetch-Site` header. */
  fetchSite: string | undefined
}

/** Refuses requests that a browser sends for a page of another site. */
export interface Origins {
  /** Checks the `Host` and `Origin` headers. Throws a `Problem` 403. */
  check(request: RequestOrigin): void
  /**
   * Checks a request that a cookie authenticates: browsers add cookies to requests of other pages, too.
   * A request that changes something must say that a page of this server sends it. Throws a `Problem`
   * 403.
   */
  checkPage(request: PageRequest): void
  /** Whether a browser reaches this host over HTTPS. */
  isSecure(request: Pick<RequestOrigin, 'host'>): boolean
}

/**
 * A page of another site can reach this server by a DNS name that its owner points here (DNS
 * rebinding, seen in `Host`) or by a plain cross-site request (seen in `Origin`).
 *
 * Loopback names and IP addresses cannot be rebound, so any port is accepted with them: a tunnel or
 * a container has its own. Every other name must be the public URL or the name that we listen on.
 */
export const createOrigins = ({ host: listenHost, publicUrl }: OriginOptions): Origins => {
  const ownUrl = publicUrl === undefined ? undefined : new URL(publicUrl)
  const listensOnAll = listenHost === '0.0.0.0' || listenHost === '::'
  const ownName = withoutBrackets(listenHost.toLowerCase())

  const isOwnHost = (host: string): boolean => {
    if (host === ownUrl?.host) return true
    const name = nameOf(host)
    if (name === undefined) return false
    return loopback.has(name) || name === ownName || (listensOnAll && isIP(name) !== 0)
  }

  const isOwnOrigin = (origin: string, host: string): boolean => {
    if (origin === ownUrl?.origin) return true
    if (host === ownUrl?.host) return false // the right host, but not the scheme of the public URL
    const url = URL.canParse(origin) ? new URL(origin) : undefined
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
    return isWeb && url.host === host
  }

  return {
    check({ host: header, origin }) {
      const host = header?.toLowerCase() ?? ''
      if (!isOwnHost(host)) throw foreignHost(host)
      if (origin !== undefined && !isOwnOrigin(origin, host)) throw foreignOrigin()
    },
    checkPage({ method = '', origin, fetchSite }) {
      // A page on another port of this host is `same-site`, and the browser sends our cookie for it.
      if (fetchSite !== undefined && !['same-origin', 'none'].includes(fetchSite))
        throw foreignOrigin()
      const isRead = method === 'GET' || method === 'HEAD'
      // `check` has compared the origin already.
      if (!isRead && origin === undefined && fetchSite !== 'same-origin') throw foreignOrigin()
    },
    isSecure: ({ host }) => ownUrl?.protocol === 'https:' && host?.toLowerCase() === ownUrl.host,
  }
}

const foreignHost = (host: string): Problem => {
  const isName = host.length <= longestHost && nameOf(host) !== undefined
  const detail = isName
    ? `Requests for host "${host}" are refused. To allow it, start with --public-url https://${host}.`
    : 'The Host header of this request is not a valid host name.'
  return new Problem(403, 'foreign_host', detail)
}

const foreignOrigin = (): Problem =>
  new Problem(
    403,
    'foreign_origin',
    'Only pages that this server serves may send requests. If a proxy serves this page, start with --public-url and the URL of the page.',
  )

/** The longest DNS name, with a port. */
const longestHost = 259

/** True for an address that only this machine can reach. */
export const isLoopback = (host: string): boolean => {
  const name = withoutBrackets(host.toLowerCase())
  return loopback.has(name) || (isIP(name) === 4 && name.startsWith('127.'))
}

const loopback = new Set(['localhost', '127.0.0.1', '::1'])

/** An IPv6 address without the brackets that URLs put around it. */
const withoutBrackets = (name: string): string =>
  name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name

/** The name in a `Host` header, without its port; undefined when it is malformed. */
const nameOf = (host: string): string | undefined => {
  const { name } = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host)?.groups ?? {}
  return name === undefined ? undefined : withoutBrackets(name)
}
