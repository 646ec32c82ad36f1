/** A part of a text that must not be shown, and what replaces it. */
export interface SecretRange {
  start: number
  end: number
  replacement: string
}

/** Finds one kind of secret. */
export interface SecretRule {
  /** Name of the rule, for the docs and the tests. */
  name: string
  /** A text without this has no match: most texts need not be searched. */
  needs?: string
  /** Global. It matches what is replaced, and nothing around it. */
  pattern: RegExp
  /** Where the secret starts that the match is the end of; undefined if it is the end of none. */
  startOf?: (text: string, index: number) => number | undefined
  /** A text, or a function of the match. `undefined` leaves the match as it is. */
  replacement: string | ((match: string) => string | undefined)
}

/** The ranges that the rules find, in order, without overlaps. Takes linear time. */
export const findRanges = (text: string, rules: readonly SecretRule[]): SecretRange[] => {
  const found: SecretRange[] = []
  for (const { needs, pattern, startOf, replacement } of rules) {
    if (needs !== undefined && !text.includes(needs)) continue
    for (const { 0: match, index } of text.matchAll(pattern)) {
      const instead = typeof replacement === 'string' ? replacement : replacement(match)
      const start = startOf ? startOf(text, index) : index
      if (instead === undefined || start === undefined || match === '') continue
      found.push({ start, end: index + match.length, replacement: instead })
    }
  }
  return merged(found)
}

/** The text with its ranges replaced. */
export const replaceRanges = (text: string, ranges: readonly SecretRange[]): string => {
  if (ranges.length === 0) return text
  const parts: string[] = []
  let from = 0
  for (const { start, end, replacement } of ranges) {
    parts.push(text.slice(from, start), replacement)
    from = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

/** Overlapping ranges become one, with the replacement of the longest. */
const merged = (ranges: SecretRange[]): SecretRange[] => {
  const sorted = ranges.sort((a, b) => a.start - b.start || b.end - a.end)
  const result: SecretRange[] = []
  for (const range of sorted) {
    const last = result.at(-1)
    if (last === undefined || range.start >= last.end) result.push({ ...range })
    else if (range.end > last.end) {
      if (range.end - range.start > last.end - last.start) last.replacement = range.replacement
      last.end = range.end
    }
  }
  return result
}
