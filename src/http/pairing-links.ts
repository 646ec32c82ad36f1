import type { Pairing } from '../api/types.ts'
import type { ServerAddresses } from './addresses.ts'

/** The link with a pairing code. The code is in the fragment, which browsers do not send. */
export const pairingLink = (address: string, code: string): string => `${address}pair#${code}`

/** The links for a code: for this machine, and for other devices with a QR code. */
export const pairingLinks = async (
  addresses: Pick<ServerAddresses, 'own' | 'network'>,
  code: string,
): Promise<Omit<Pairing, 'expiresAt'>> => {
  const networkUrls = addresses.network().map((address) => pairingLink(address, code))
  const [first] = networkUrls
  return {
    url: pairingLink(addresses.own(), code),
    networkUrls,
    ...(first !== undefined && { qr: await qrRows(first) }),
  }
}

const qrRows = async (text: string): Promise<string[]> => {
  const { encode } = await import('uqr')
  return encode(text, { border: 2 }).data.map((row) =>
    row.map((isDark) => (isDark ? '1' : '0')).join(''),
  )
}
