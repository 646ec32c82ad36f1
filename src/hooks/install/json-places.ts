/** Where a value stands in a text of JSON. */
export interface JsonPlace {
  readonly start: number
  /** The position after its last character. */
  readonly end: number
}

/** A member of an object. */
export interface JsonMember {
  readonly key: string
  /** From the quote before the key to the end of the value. */
  readonly whole: JsonPlace
  readonly value: JsonPlace
}

// The text must be JSON that `JSON.parse` accepts: nothing is checked here. No function calls itself, so
// that deep nesting cannot exhaust the stack.

/** The place of the whole value, without what may stand around it: white space, or a byte order mark. */
export const rootPlace = (text: string): JsonPlace => {
  const start = afterSpace(text, text.startsWith('\uFEFF') ? 1 : 0)
  return { start, end: endOfValue(text, start) }
}

/** The values of an array, in order. */
export const itemPlaces = (text: string, { start, end }: JsonPlace): JsonPlace[] => {
  const found: JsonPlace[] = []
  let at = afterSpace(text, start + 1)
  while (at < end - 1) {
    const place = { start: at, end: endOfValue(text, at) }
    found.push(place)
    at = afterComma(text, place.end)
  }
  return found
}

/** The members of an object, in order. A key may come twice: the last one counts. */
export const memberPlaces = (text: string, { start, end }: JsonPlace): JsonMember[] => {
  const found: JsonMember[] = []
  let at = afterSpace(text, start + 1)
  while (at < end - 1) {
    const keyEnd = endOfValue(text, at)
    const valueStart = afterSpace(text, afterSpace(text, keyEnd) + 1)
    const value = { start: valueStart, end: endOfValue(text, valueStart) }
    const key = String(JSON.parse(text.slice(at, keyEnd)))
    found.push({ key, whole: { start: at, end: value.end }, value })
    at = afterComma(text, value.end)
  }
  return found
}

/** The member that counts for a key. */
export const memberPlace = (text: string, object: JsonPlace, key: string): JsonMember | undefined =>
  memberPlaces(text, object).findLast((each) => each.key === key)

const endOfValue = (text: string, start: number): number => {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first !== '{' && first !== '[') return endOfWord(text, start)
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

/** The end of a number, `true`, `false` or `null`. */
const endOfWord = (text: string, start: number): number => {
  let at = start
  while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at += 1
  return at
}

const afterSpace = (text: string, start: number): number => {
  let at = start
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
  return at
}

/** The start of the next value after a comma, or the closing bracket. */
const afterComma = (text: string, start: number): number => {
  const at = afterSpace(text, start)
  return text[at] === ',' ? afterSpace(text, at + 1) : at
}
