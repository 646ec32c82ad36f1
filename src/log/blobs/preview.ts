/** How much of a text is left where the whole is kept elsewhere, in characters. */
export const previewChars = 8 * 1024
/** How much of a value is left, and of one text in it. */
const valueChars = 16 * 1024
const partChars = 2 * 1024

/** The first part of a text; it never ends in half a character. */
export const previewOfText = (text: string, chars = previewChars): string => {
  const isCutInPair = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) && text.length > chars
  return text.slice(0, isCutInPair ? chars - 1 : chars)
}

/** The first part of a value, in its own shape: an object stays an object, a list a list. */
export const previewOf = (value: unknown): unknown => {
  let left = valueChars

  const begin = (part: unknown): unknown => {
    if (typeof part === 'string') return beginText(part)
    left -= 16 // also what bounds how deep this goes
    if (Array.isArray(part)) return beginList(part)
    return typeof part === 'object' && part !== null ? beginFields(part) : part
  }
  const beginText = (text: string): string => {
    const kept = previewOfText(text, Math.min(partChars, Math.max(0, left)))
    left -= kept.length
    return kept
  }
  const beginList = (list: readonly unknown[]): unknown[] => {
    const kept: unknown[] = []
    for (const each of list) {
      if (left <= 0) break
      kept.push(begin(each))
    }
    return kept
  }
  const beginFields = (fields: object): object => {
    const kept: [string, unknown][] = []
    for (const [key, each] of Object.entries(fields)) {
      left -= key.length
      if (left <= 0) break
      kept.push([key, begin(each)])
    }
    return Object.fromEntries(kept)
  }
  return begin(value)
}
