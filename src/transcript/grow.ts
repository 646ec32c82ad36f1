/** A text that grew, held at no more than about its own size. */
export const grow = (text: string, delta: string): string => {
  const grown = text + delta
  return isStep(text.length, grown.length) ? joined(grown) : grown
}

/** Engines keep a sum of strings as a tree; short ones may stay so. */
const shortest = 4096

/** Four times while a text doubles, so that all the joining stays linear. */
const isStep = (before: number, after: number): boolean => {
  if (after < shortest) return false
  const shift = 29 - Math.clz32(after)
  return before >>> shift !== after >>> shift
}

/** The same text in one piece: an engine joins the pieces of a string before it cuts it. */
const joined = (text: string): string => text.slice(0, -1) + text.slice(-1)

/** How much of a tool’s output is kept at least, in characters. */
export const outputLimit = 65_536

/** The end of what a tool has printed, and how many characters before it were dropped. */
export interface Output {
  readonly output: string
  readonly dropped: number
}

/** Output that grew. It is cut only at twice the limit, so that a cut is paid for by what came. */
export const growOutput = ({ output, dropped }: Output, delta: string): Output => {
  const grown = grow(output, delta)
  if (grown.length <= 2 * outputLimit) return { output: grown, dropped }
  const from = afterPair(grown, grown.length - outputLimit)
  return { output: grown.slice(from), dropped: dropped + from }
}

/** A place that does not cut a surrogate pair. */
const afterPair = (text: string, place: number): number => {
  const code = text.charCodeAt(place)
  return code >= 0xdc00 && code <= 0xdfff ? place + 1 : place
}
