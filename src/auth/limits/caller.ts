import { isIPv6 } from 'node:net'

/**
 * The caller that a limit counts for when there is no key: an IPv4 address, or an IPv6 /64 network,
 * because one host usually owns all of it. `X-Forwarded-For` is ignored, since anyone can send it.
 */
export const callerOf = (remoteAddress: string | undefined): string => {
  const address = remoteAddress ?? 'unknown'
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(?<v4>\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.groups?.v4
  return mapped ?? networkOf(address)
}

/** The first four groups of an IPv6 address. */
const networkOf = (address: string): string => {
  const [left = '', right] = address.split('%', 1).join('').split('::')
  const first = groupsOf(left)
  const last = groupsOf(right ?? '')
  const zeros = right === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))
