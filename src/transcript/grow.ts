/** Appends to a text and keeps its memory close to its length. */
export const grow = (text: string, delta: string): string => {
  if (text.length + delta.length > longestText) return withEnd(text)
  const grown = text + delta
  return isFlattenStep(text.length, grown.length) ? flattened(grown) : grown
}

/** The most characters of one text. The end of its message has the whole text. */
const longestText = 2 ** 26

const ending = '\n[This text is too long to be shown while it streams.]'
const withEnd = (text: string): string => (text.endsWith(ending) ? text : text + ending)

/** Engines store a concatenation as a tree of its parts. Shorter texts may stay one. */
const shortest = 4096

/** True four times while a text doubles, so that all the copying stays linear. */
const isFlattenStep = (before: number, after: number): boolean => {
  if (after < shortest) return false
  const shift = 29 - Math.clz32(after)
  return before >>> shift !== after >>> shift
}

/** The same text in one piece: an engine flattens a string before it slices it. */
const flattened = (text: string): string => text.slice(0, -1) + text.slice(-1)

/** The minimum number of characters of a tool’s output that a transcript retains. */
export const outputLimit = 65_536

/** The end of a tool’s output, and how many characters before it were dropped. */
interface OutputTail {
  readonly output: string
  readonly dropped: number
}

/** Appends output. Cuts only at twice the limit, so that the cost of cutting stays linear. */
export const growOutput = ({ output, dropped }: OutputTail, delta: string): OutputTail => {
  const grown = grow(output, delta)
  if (grown.length <= 2 * outputLimit) return { output: grown, dropped }
  const from = afterPair(grown, grown.length - outputLimit)
  return { output: grown.slice(from), dropped: dropped + from }
}

/** The index, moved by one where it would split a surrogate pair. */
const afterPair = (text: string, index: number): number => {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index
}
