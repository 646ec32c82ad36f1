import { median, type Ratio } from './rounds.ts'

/** One goal and what became of it. */
export interface Row {
  what: string
  goal: string
  measured: string
  /** The medians behind the figure. */
  behind: string
  verdict: 'ok' | 'MISSED' | 'skipped'
}

/** Prints a row as soon as it is known. */
export const printRow = ({ what, goal, measured, behind, verdict }: Row): void =>
  print(
    `  ${verdict.padEnd(7)} ${what.padEnd(46)} ${measured.padEnd(26)} ${goal.padEnd(18)} ${behind}`,
  )

/** What the next rows are about. */
export const printTitle = (name: string, about: string): void => print(`${name}: ${about}`)

/** How many goals were reached. */
export const printSum = (rows: readonly Row[], seconds: number): void => {
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length
  const sum = `${count('ok')} ok, ${count('MISSED')} missed, ${count('skipped')} skipped`
  print(`${sum}, in ${seconds.toFixed(0)} s`)
}

/** A row whose figure must not be below `goal`. */
export const atLeast = (what: string, goal: number, ratio: Ratio, behind: string): Row => ({
  what,
  goal: `goal at least ${goal}x`,
  measured: times(ratio),
  behind,
  verdict: ratio.value >= goal ? 'ok' : 'MISSED',
})

/** A row whose figure must not be above `goal`. */
export const atMost = (what: string, goal: number, ratio: Ratio, behind: string): Row => ({
  what,
  goal: `goal at most ${goal}x`,
  measured: times(ratio),
  behind,
  verdict: ratio.value <= goal ? 'ok' : 'MISSED',
})

/** A row whose figures, the median of them, must not be above `goal`. */
export const atMostOf = (
  what: string,
  goal: number,
  unit: string,
  values: readonly number[],
  behind: string,
): Row => {
  const value = median(values)
  const range = `[${short(Math.min(...values))}..${short(Math.max(...values))}]`
  return {
    what,
    goal: `goal at most ${goal} ${unit}`.trimEnd(),
    measured: `${short(value)} ${unit} ${range}`.replace('  ', ' '),
    behind,
    verdict: value <= goal ? 'ok' : 'MISSED',
  }
}

/** Rows that there are none of, and why. */
export const skipped = (what: string, why: string): Row => ({
  what,
  goal: '',
  measured: '',
  behind: why,
  verdict: 'skipped',
})

/** Milliseconds, for people. */
export const ms = (value: number): string =>
  value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`

const times = ({ value, lowest, highest }: Ratio): string =>
  `${short(value)}x [${short(lowest)}..${short(highest)}]`

const short = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(1))

const print = (line: string) => void process.stdout.write(`${line}\n`)
