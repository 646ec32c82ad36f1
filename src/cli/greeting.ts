import { isLoopback } from '../auth/origins.ts'
import { pairingLinks } from '../http/pairing-links.ts'
import type { HttpServer } from '../sluice/http-server.ts'
import { pairingText } from './pair.ts'

export interface GreetingOptions {
  host: string
  publicUrl?: string | undefined
  /** Whether people must sign in. */
  auth: boolean
  /** Whether a person reads it. A log must not contain what lets somebody in. */
  isTerminal: boolean
  /** The `sluice pair` command for the data directory. */
  pairCommand: string
}

/** What `sluice serve` prints when it listens: the addresses, and how to sign in. */
export const greeting = async (
  server: Pick<HttpServer, 'addresses' | 'pairingUrl'>,
  options: GreetingOptions,
): Promise<string> => {
  const { addresses } = server
  const first = `Sluice is at ${addresses.own()}\n`
  const network = addresses.network().filter((each) => each !== addresses.own())
  const reachable = network.length === 0 ? '' : `On the network: ${network.join(' ')}\n`
  if (!options.auth) return first
  if (!options.isTerminal)
    return `${first}${reachable}To sign a browser in, run \`${options.pairCommand}\`.\n`
  const code = new URL(server.pairingUrl()).hash.slice(1)
  const links = await pairingLinks(addresses, code)
  return `${first}${reachable}\n${pairingText(links)}For another link, run \`${options.pairCommand}\`.\n`
}

/** What people must know about how open the server is; undefined when there is nothing. */
export const openWarning = ({ host, publicUrl, auth }: GreetingOptions): string | undefined => {
  if (!auth)
    return 'no sign-in is needed, so every program and user of this machine can control the agents.'
  const isEncrypted = publicUrl?.startsWith('https:') === true
  if (isLoopback(host) || isEncrypted) return undefined
  return 'other devices can reach this server, without encryption (plain HTTP). Everybody in between can read along and take over a signed-in browser. Use it in networks that you trust, or put HTTPS before it: see docs/remote-access.md.'
}
