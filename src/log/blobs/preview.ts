/** How many characters the preview of a text has. */
export const previewChars = 8 * 1024
/** How many characters the preview of a value has, and each text in it. */
const valueChars = 16 * 1024
const partChars = 2 * 1024

/** The beginning of a text. It never ends in the middle of a surrogate pair. */
export const previewOfText = (text: string, chars = previewChars): string => {
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) && text.length > chars
  return text.slice(0, splitsPair ? chars - 1 : chars)
}

/** The beginning of a value, in the same shape: an object stays an object, a list stays a list. */
export const previewOf = (value: unknown): unknown => {
  let budget = valueChars

  const preview = (part: unknown): unknown => {
    if (typeof part === 'string') return previewText(part)
    budget -= 16 // this also limits how deep it goes
    if (Array.isArray(part)) return previewList(part)
    return typeof part === 'object' && part !== null ? previewFields(part) : part
  }
  const previewText = (text: string): string => {
    const start = previewOfText(text, Math.min(partChars, Math.max(0, budget)))
    budget -= start.length
    return start
  }
  const previewList = (list: readonly unknown[]): unknown[] => {
    const items: unknown[] = []
    for (const each of list) {
      if (budget <= 0) break
      items.push(preview(each))
    }
    return items
  }
  const previewFields = (object: object): object => {
    const fields: [string, unknown][] = []
    for (const key of Object.keys(object)) {
      budget -= key.length
      if (budget <= 0) break
      fields.push([key, preview(Reflect.get(object, key))])
    }
    return Object.fromEntries(fields)
  }
  return preview(value)
}
