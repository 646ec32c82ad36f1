import type { ReadText } from './text.ts'

const QUOTE = 34
const BACKSLASH = 92

/** A JSON string literal found in bytes: its text, and where its closing quote stands. */
export interface Literal {
  text: string
  close: number
}

/**
 * Reads the JSON string that begins right after an opening quote at `start - 1`. Undefined when it
 * does not end before `end`, or holds what JSON forbids: then the caller parses the whole line.
 */
export const readLiteral = (
  bytes: Uint8Array,
  start: number,
  end: number,
  readText: ReadText,
): Literal | undefined => {
  let at = start
  let escaped = false
  while (at < end) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) break
    if (byte === BACKSLASH) {
      escaped = true
      at += 1
    } else if (byte < 32) return undefined
    at += 1
  }
  if (at >= end) return undefined
  const source = readText(bytes, start, at)
  if (!escaped) return { text: source, close: at }
  const text = decodeEscapes(source)
  return text === undefined ? undefined : { text, close: at }
}

/** True when `bytes` holds `part` at `at`. */
export const matchesAt = (
  bytes: Uint8Array,
  at: number,
  end: number,
  part: Uint8Array,
): boolean => {
  const length = part.length
  if (at < 0 || at + length > end) return false
  for (let index = 0; index < length; index += 1)
    if (bytes[at + index] !== part[index]) return false
  return true
}

const decodeEscapes = (source: string): string | undefined => {
  try {
    const text: unknown = JSON.parse(`"${source}"`)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
