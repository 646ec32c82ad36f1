/** Decodes a range of bytes. */
export type DecodeRange = (bytes: Uint8Array, start: number, end: number) => string

/** How bytes become text. A host with faster ways (Node’s Buffer) passes its own. */
export interface TextReader {
  utf8: DecodeRange
  /** One character for each byte, ASCII as it is: where structure is looked for, not meaning. */
  latin1: DecodeRange
  /** True only if no byte is above 127; then both readings are the same. */
  isAscii(bytes: Uint8Array): boolean
}

// A BOM inside a stream is text, not a mark: keep it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const singleByte = new TextDecoder('latin1')

/** The portable way. */
export const portableTextReader: TextReader = {
  utf8: (bytes, start, end) => decoder.decode(bytes.subarray(start, end)),
  latin1: (bytes, start, end) => singleByte.decode(bytes.subarray(start, end)),
  isAscii: () => false,
}
