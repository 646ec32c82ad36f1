/** Decodes a range of bytes. */
export type DecodeRange = (bytes: Uint8Array, start: number, end: number) => string

/** Decodes bytes to text. A platform with a faster way, such as Node’s Buffer, brings its own. */
export interface TextReader {
  utf8: DecodeRange
  /** One character per byte: for finding structure in the bytes. */
  latin1: DecodeRange
  /** True only if no byte is above 127. Then both encodings give the same text. */
  isAscii(bytes: Uint8Array): boolean
}

// A BOM inside a stream is part of the text, so it must not be removed.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const latin1 = new TextDecoder('latin1')

/** A text reader that works on every platform. */
export const portableTextReader: TextReader = {
  utf8: (bytes, start, end) => utf8.decode(bytes.subarray(start, end)),
  latin1: (bytes, start, end) => latin1.decode(bytes.subarray(start, end)),
  isAscii: () => false,
}
