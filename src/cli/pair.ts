import type { Pairing } from '../api/types.ts'
import { requireServer } from './connect-to-server.ts'
import { exitCodes } from './exit.ts'
import { asFault } from './open-admin.ts'
import type { Terminal } from './terminal.ts'

/** `sluice pair`: prints a link that signs one browser in. */
export const pair = async (
  { data, json }: { data: string; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const pairing = await asFault(requireServer(data).auth.createPairing())
  if (json) terminal.writeJson(pairing)
  else terminal.write(pairingText(pairing))
  await terminal.flush()
  return exitCodes.done
}

/** The links of a pairing, with a QR code if other devices can reach the server. */
export const pairingText = ({ url, networkUrls, qr }: Omit<Pairing, 'expiresAt'>): string => {
  const others = networkUrls.filter((each) => each !== url)
  return [
    'Open this link to sign in. It works once, within 2 minutes:',
    '',
    `  ${url}`,
    ...(others.length > 0 ? ['', 'On another device:', ''] : []),
    ...others.map((each) => `  ${each}`),
    ...(qr ? ['', ...qrLines(qr)] : []),
    '',
  ]
    .join('\n')
    .concat('\n')
}

/** Two rows of a QR code in each line. Light modules are drawn: most terminals are dark. */
const qrLines = (rows: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(rows.length / 2) }, (_, line) => {
    const [upper = '', lower = ''] = rows.slice(line * 2, line * 2 + 2)
    const cells = [...upper].map((dark, column) => blocks[`${dark}${lower[column] ?? '1'}`] ?? ' ')
    return `  ${cells.join('')}`
  })

const blocks: Readonly<Record<string, string>> = { '00': '█', '01': '▀', '10': '▄', '11': ' ' }
