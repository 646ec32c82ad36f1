/** Random choices that a seed determines. */
export interface Random {
  /** At least 0 and below 1. */
  next(): number
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number
  /** One of some values. */
  pick<Value>(values: readonly [Value, ...Value[]]): Value
  /** True in one of so many cases. */
  oneIn(cases: number): boolean
}

/** The same seed gives the same choices (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (values) => values[below(values.length)] ?? values[0],
    oneIn: (cases) => below(cases) === 0,
  }
}
