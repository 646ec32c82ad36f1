import type { Segment } from './segment.ts'

const QUOTE = '"'
const BACKSLASH = 92

/** A JSON string: its text, and the index of its closing quote. */
export interface StringLiteral {
  text: string
  close: number
}

/**
 * Reads the JSON string whose opening quote is at `start - 1`. Returns undefined if the string does
 * not end before `end` or is not valid JSON. The caller then parses the whole line.
 */
export const readStringLiteral = (
  segment: Segment,
  start: number,
  end: number,
): StringLiteral | undefined => {
  const { latin1 } = segment
  let close = latin1.indexOf(QUOTE, start)
  while (close >= 0 && close < end && isEscaped(latin1, start, close))
    close = latin1.indexOf(QUOTE, close + 1)
  if (close < 0 || close >= end) return undefined
  const raw = latin1.slice(start, close)
  if (isVerbatim.test(raw)) return { text: copyOf(raw), close }
  const text = parseString(segment.text(start - 1, close + 1))
  return text === undefined ? undefined : { text, close }
}

/** Printable ASCII without a backslash: the JSON text is the string itself. */
const isVerbatim = /^[ !#-[\]-~]*$/

/** A quote is part of the string if an odd number of backslashes precedes it. */
const isEscaped = (latin1: string, start: number, quote: number): boolean => {
  let at = quote - 1
  while (at >= start && latin1.charCodeAt(at) === BACKSLASH) at -= 1
  return (quote - 1 - at) % 2 === 1
}

/** Copies a slice: the slice itself would keep the whole chunk in memory. */
const copyOf = (slice: string): string => ` ${slice}`.slice(1)

const parseString = (json: string): string | undefined => {
  try {
    const text: unknown = JSON.parse(json)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
