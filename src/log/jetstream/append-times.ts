/** How long appends took, as Prometheus counts it. */
export interface AppendTimes {
  /** An append took this long. */
  add(seconds: number): void
  figures(): AppendFigures
}

export interface AppendFigures {
  /** How many appends took at most this long, in seconds. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[]
  readonly count: number
  readonly sum: number
}

/** In seconds: from a quick append on one machine to the election of a leader. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const createAppendTimes = (): AppendTimes => {
  const counts = bounds.map(() => 0)
  let count = 0
  let sum = 0
  return {
    add(seconds) {
      count += 1
      sum += seconds
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at !== -1) counts[at] = (counts[at] ?? 0) + 1
    },
    figures() {
      let below = 0
      const buckets = bounds.map((le, index) => {
        below += counts[index] ?? 0
        return { le, count: below }
      })
      return { buckets, count, sum }
    },
  }
}
