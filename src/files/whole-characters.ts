/** The bytes without the parts of characters at both ends, which a cut has left there. */
export const wholeCharacters = (bytes: Uint8Array): { first: number; last: number } => {
  let first = 0
  while (first < Math.min(3, bytes.length) && isContinuation(bytes[first])) first += 1
  return { first, last: Math.max(first, bytes.length - unfinished(bytes)) }
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80

/** How many bytes at the end begin a character that is not complete. */
const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}
