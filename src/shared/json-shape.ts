/** How much structure a JSON text may have. */
export interface JsonShapeLimits {
  /** The most values: each entry of an object or array counts as one. */
  values: number
  /** The most levels of objects and arrays. */
  depth: number
}

/**
 * Returns which limit a JSON text exceeds; undefined if none. It reads each character once, skips
 * strings, and stops at the limit. So a hostile text is refused before `JSON.parse`, a schema or
 * a recursive function spends seconds on it or fails. Text that is not JSON may pass.
 */
export const exceededLimit = (
  text: string,
  limits: JsonShapeLimits,
): keyof JsonShapeLimits | undefined => {
  let values = 1
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma) values += 1
    else if (code === openBracket || code === openBrace) {
      values += 1
      depth += 1
      if (depth > limits.depth) return 'depth'
    } else if (code === closeBracket || code === closeBrace) depth -= 1
    if (values > limits.values) return 'values'
  }
  return undefined
}

/**
 * False if JSON text cannot exceed the limits: a quick test before `exceededLimit`. Each level takes
 * two characters, one of them a closing bracket. Each value takes two, one of them a comma or
 * a bracket. Few lines have that many.
 */
export const mayExceed = (text: string, { values, depth }: JsonShapeLimits): boolean => {
  if (text.length < 2 * Math.min(values, depth)) return false
  const most = Math.max(values, depth)
  const closing = countOf(']', text, most) + countOf('}', text, most)
  if (closing > depth) return true
  return text.length >= 2 * values && closing + countOf(',', text, most) >= values
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The position of the quote that ends a string; at or after the end of the text if there is none. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) {
    if (text.charCodeAt(at) === backslash) {
      at += 2
      continue
    }
    const end = text.indexOf('"', at)
    if (end === -1) return text.length
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1
    at = escapes % 2 === 0 ? end : end + 1
  }
  return at
}

/** How often a text has a character, counted up to one above a limit. */
const countOf = (character: string, text: string, limit: number): number => {
  let count = 0
  let at = text.indexOf(character)
  while (at >= 0 && count <= limit) {
    count += 1
    at = text.indexOf(character, at + 1)
  }
  return count
}
