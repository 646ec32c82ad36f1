/**
 * True if a value is nested deeper than the limit; a value without objects in it has one level.
 * `JSON.parse` accepts any depth, but recursive functions fail on its result. So this walks the
 * value level by level.
 */
export const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level = [value].filter(isObject)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true
    level = level.flatMap((each) => Object.values(each).filter(isObject))
  }
  return false
}

/**
 * False if JSON text cannot be nested deeper than the limit: a quick test before `isDeeperThan`.
 * Each level takes two characters, one of them a closing bracket, and few lines have that many.
 */
export const mayBeDeeperThan = (text: string, limit: number): boolean =>
  text.length >= 2 * limit && hasMoreBrackets(text, limit)

const hasMoreBrackets = (text: string, limit: number): boolean => {
  let count = 0
  for (const bracket of [']', '}'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > limit) return true
    }
  return false
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
