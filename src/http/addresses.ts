import { networkInterfaces } from 'node:os'
import { isLoopback, type Origins } from '../auth/origins.ts'

/** Where browsers reach the server. All addresses end with a slash. */
export interface ServerAddresses {
  /** For programs on this machine. */
  local(): string
  /** For browsers: the public URL if there is one, otherwise the address on this machine. */
  own(): string
  /** For other devices; empty when only this machine can reach the server. */
  network(): readonly string[]
  /** Whether a request came in over HTTPS, through the public URL. */
  isSecure(request: { host?: string | undefined }): boolean
}

interface AddressOptions {
  host: string
  publicUrl?: string | undefined
  /** The port, once the server listens. */
  port(): number
  origins: Origins
}

export const createAddresses = (options: AddressOptions): ServerAddresses => {
  const { host, publicUrl, port, origins } = options
  const addressOf = (name: string) => `http://${name.includes(':') ? `[${name}]` : name}:${port()}/`
  const publicAddress = publicUrl === undefined ? undefined : withSlash(publicUrl)
  const local = () => addressOf(localNames[host] ?? host.replaceAll(/^\[|\]$/g, ''))
  return {
    local,
    own: () => publicAddress ?? local(),
    network() {
      if (publicAddress !== undefined) return [publicAddress]
      return networkNames(host).map(addressOf)
    },
    isSecure: ({ host: header }) => origins.isSecure({ host: header }),
  }
}

/** How this machine reaches a server that listens on all addresses. */
const localNames: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The addresses of this machine that other devices reach; for a server on one address, only that. */
const networkNames = (host: string): string[] => {
  if (!Object.hasOwn(localNames, host)) return isLoopback(host) ? [] : [host]
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family, address }) => {
      if (internal || (host === '0.0.0.0' && family !== 'IPv4')) return false
      return !address.toLowerCase().startsWith('fe80:') // needs the name of an interface
    })
    .sort((left, right) => left.family.localeCompare(right.family))
    .map(({ address }) => address)
}

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`)
