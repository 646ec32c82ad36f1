/**
 * Whether JSON text may be nested deeper than a limit. Each level takes two characters, one of them
 * closes it, and few lines have as many of those: most need no closer look.
 */
export const mayBeDeeperThan = (text: string, limit: number): boolean =>
  text.length >= 2 * limit && hasMore(text, limit)

const hasMore = (text: string, limit: number): boolean => {
  let count = 0
  for (const bracket of [']', '}'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > limit) return true
    }
  return false
}
