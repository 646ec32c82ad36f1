import type { Segment } from './segment.ts'

const QUOTE = '"'
const BACKSLASH = 92

/** A JSON string literal: its text, and where its closing quote stands. */
export interface Literal {
  text: string
  close: number
}

/**
 * Reads the JSON string that begins right after an opening quote at `start - 1`. Undefined when it
 * does not end before `end`, or holds what JSON forbids: then the caller parses the whole line.
 */
export const readLiteral = (piece: Segment, start: number, end: number): Literal | undefined => {
  const { latin1: plain } = piece
  let close = plain.indexOf(QUOTE, start)
  while (close >= 0 && close < end && isEscaped(plain, start, close))
    close = plain.indexOf(QUOTE, close + 1)
  if (close < 0 || close >= end) return undefined
  const raw = plain.slice(start, close)
  if (isPlain.test(raw)) return { text: copyOf(raw), close }
  const text = decodeEscapes(piece.text(start - 1, close + 1))
  return text === undefined ? undefined : { text, close }
}

/** Printable ASCII without a backslash means itself; anything else is decoded. */
const isPlain = /^[ !#-[\]-~]*$/

/** A quote is part of the text when an odd number of backslashes stands before it. */
const isEscaped = (plain: string, start: number, quote: number): boolean => {
  let at = quote - 1
  while (at >= start && plain.charCodeAt(at) === BACKSLASH) at -= 1
  return (quote - 1 - at) % 2 === 1
}

/** A slice would keep the whole chunk that it was cut from in memory for as long as it lives. */
const copyOf = (slice: string): string => ` ${slice}`.slice(1)

const decodeEscapes = (source: string): string | undefined => {
  try {
    const text: unknown = JSON.parse(source)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
