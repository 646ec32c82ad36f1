/** Decodes a range of UTF-8 bytes. A host with a faster way (Node’s Buffer) passes its own. */
export type ReadText = (bytes: Uint8Array, start: number, end: number) => string

// A BOM inside a stream is text, not a mark: keep it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The portable way. */
export const readText: ReadText = (bytes, start, end) => decoder.decode(bytes.subarray(start, end))
