/**
 * Whether a value is nested deeper than a limit; one that holds no other has one level. `JSON.parse`
 * reads any depth, but what it gives can be neither walked nor written again once it is deeper than
 * calls can go. So it is looked at level by level.
 */
export const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level = [value].filter(isObject)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true
    level = level.flatMap((each) => Object.values(each).filter(isObject))
  }
  return false
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
