const QUOTE = 34
const BACKSLASH = 92

/**
 * Whether JSON text is nested deeper than a limit. `JSON.parse` reads any depth, but what it gives
 * can be neither walked nor written again once it is deeper than calls can go.
 */
export const isDeeperThan = (text: string, limit: number): boolean =>
  // Each level takes two characters, and few lines have that many brackets: most are not looked at.
  text.length >= 2 * limit && hasMore(text, limit) && depthOf(text, limit) > limit

const hasMore = (text: string, limit: number): boolean => {
  let count = 0
  for (const bracket of [']', '}'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > limit) return true
    }
  return false
}

/** The depth of the text, or the first above the limit. */
const depthOf = (text: string, limit: number): number => {
  let depth = 0
  let deepest = 0
  let isString = false
  for (let at = 0; at < text.length && deepest <= limit; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isString = !isString
    else if (isString) at += code === BACKSLASH ? 1 : 0
    else if (isOpening(code)) deepest = Math.max(deepest, ++depth)
    else if (isClosing(code)) depth -= 1
  }
  return deepest
}

const isOpening = (code: number) => code === 91 || code === 123
const isClosing = (code: number) => code === 93 || code === 125
