/**
 * The JSON of a value with the keys of every object in order, so that equal values have equal text.
 * Undefined fields are left out. Undefined if the value is nested deeper than the limit.
 */
export const canonicalJson = (value: unknown, depthLimit: number): string | undefined => {
  try {
    return JSON.stringify(ordered(value, depthLimit))
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    return undefined
  }
}

const ordered = (value: unknown, levels: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) return value.map((each) => ordered(each, levels - 1))
  // Entries, because a key such as `__proto__` must stay a plain field.
  const entries = Object.entries(value).sort(([left], [right]) => compare(left, right))
  return Object.fromEntries(entries.map(([key, each]) => [key, ordered(each, levels - 1)]))
}

const compare = (left: string, right: string): number => {
  if (left === right) return 0
  return left < right ? -1 : 1
}
