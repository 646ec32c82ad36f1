import { crc32 } from 'node:zlib'

/** The CRC-32 of a text as it is stored, in UTF-8. It finds damage. It does not stop forgery. */
export const checksumOf = (text: string): number => crc32(text)
