/** Runs every contender once per round, one after another, in an order that rotates. */
export const runRounds = async <Name extends string, Figure>(
  contenders: ReadonlyMap<Name, () => Promise<Figure>>,
  count: number,
): Promise<Map<Name, Figure[]>> => {
  const names = [...contenders.keys()]
  const figures = new Map<Name, Figure[]>(names.map((name) => [name, []]))
  for (let round = 0; round < count; round += 1) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const figure = await contenders.get(name)?.()
      if (figure !== undefined) figures.get(name)?.push(figure)
    }
  }
  return figures
}

/** The middle value, or the mean of the two middle values. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  const high = sorted[Math.floor(middle)] ?? Number.NaN
  return (low + high) / 2
}

/** The ratio of two medians, and the lowest and highest ratio of a single round. */
export interface Ratio {
  value: number
  lowest: number
  highest: number
}

/** `above` divided by `below`, which have one value per round. */
export const ratioOf = (above: readonly number[], below: readonly number[]): Ratio => {
  const each = above.map((value, round) => value / (below[round] ?? Number.NaN))
  return {
    value: median(above) / median(below),
    lowest: Math.min(...each),
    highest: Math.max(...each),
  }
}
