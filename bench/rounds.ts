/** Lets all contenders run once per round, one after another, each round in a rotated order. */
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

/** The middle value; of an even number of them the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  const high = sorted[Math.floor(middle)] ?? Number.NaN
  return (low + high) / 2
}

/** A ratio of two medians, and how far it swung from round to round. */
export interface Ratio {
  value: number
  lowest: number
  highest: number
}

/** Round by round, `above` over `below`. */
export const ratioOf = (above: readonly number[], below: readonly number[]): Ratio => {
  const each = above.map((value, round) => value / (below[round] ?? Number.NaN))
  return {
    value: median(above) / median(below),
    lowest: Math.min(...each),
    highest: Math.max(...each),
  }
}
