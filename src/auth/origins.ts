import { isIP } from 'node:net'
import { Problem } from '../shared/problem.ts'

export interface OriginOptions {
  /** What the server listens on. */
  host: string
  /** How it is reached from outside, where a proxy stands before it. */
  publicUrl?: string | undefined
}

/** The headers that matter here, as they came. */
export interface RequestOrigin {
  host: string | undefined
  origin: string | undefined
}

/**
 * Refuses requests that a foreign page has made a browser send: by a name that was made to point
 * here (`Host`, DNS rebinding), or from another site (`Origin`). Throws a `Problem` 403.
 *
 * A name of the loopback and an address in numbers cannot be made to point elsewhere, so their
 * ports do not matter (a tunnel or a container has its own). All other names must be known.
 */
export const createOrigins = ({ host: listening, publicUrl }: OriginOptions) => {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isOpen = listening === '0.0.0.0' || listening === '::'
  const own = bare(listening.toLowerCase())

  const isKnownHost = (host: string): boolean => {
    if (host === known?.host) return true
    const name = nameOf(host)
    if (name === undefined) return false
    return loopback.has(name) || name === own || (isOpen && isIP(name) !== 0)
  }

  /** A page of ours, by the name that it was loaded by. */
  const isOwnOrigin = (origin: string, host: string): boolean => {
    if (origin === known?.origin) return true
    if (host === known?.host) return false // its scheme is known, and is not this one
    const url = URL.canParse(origin) ? new URL(origin) : undefined
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
    return isWeb && url.host === host
  }

  return {
    check({ host, origin }: RequestOrigin): void {
      const asked = host?.toLowerCase() ?? ''
      if (!isKnownHost(asked))
        throw new Problem(
          403,
          'foreign_host',
          'This server is not known by that name. `--public-url` tells it another.',
        )
      if (origin !== undefined && !isOwnOrigin(origin, asked))
        throw new Problem(403, 'foreign_origin', 'Pages of that origin may not use this server.')
    },
  }
}
export type Origins = ReturnType<typeof createOrigins>

/** True where only this machine can reach it. */
export const isLoopback = (host: string): boolean => {
  const name = bare(host.toLowerCase())
  return loopback.has(name) || (isIP(name) === 4 && name.startsWith('127.'))
}

const loopback = new Set(['localhost', '127.0.0.1', '::1'])

/** An address without the brackets that it has in a URL. */
const bare = (name: string): string =>
  name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name

/** The name in a `Host` header, without its port; undefined where it is none. */
const nameOf = (host: string): string | undefined => {
  const { name } = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host)?.groups ?? {}
  return name === undefined ? undefined : bare(name)
}
