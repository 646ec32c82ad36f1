import { median, type Ratio } from './rounds.ts'

/** A goal and what was measured for it. */
export interface Row {
  /** What is measured. */
  name: string
  goal: string
  measured: string
  /** The medians that the figure is computed from. */
  details: string
  verdict: 'ok' | 'MISSED' | 'skipped'
}

/** Prints a row. */
export const printRow = ({ name, goal, measured, details, verdict }: Row): void =>
  print(
    `  ${verdict.padEnd(7)} ${name.padEnd(46)} ${measured.padEnd(26)} ${goal.padEnd(18)} ${details}`,
  )

/** Prints what the next rows are about. */
export const printTitle = (name: string, description: string): void =>
  print(`${name}: ${description}`)

/** Prints how many goals were reached. */
export const printSum = (rows: readonly Row[], seconds: number): void => {
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length
  const sum = `${count('ok')} ok, ${count('MISSED')} missed, ${count('skipped')} skipped`
  print(`${sum}, in ${seconds.toFixed(0)} s`)
}

/** A row whose ratio must be at least `goal`. */
export const atLeast = (name: string, goal: number, ratio: Ratio, details: string): Row => ({
  name,
  goal: `goal at least ${goal}x`,
  measured: formatRatio(ratio),
  details,
  verdict: ratio.value >= goal ? 'ok' : 'MISSED',
})

/** A row whose ratio must be at most `goal`. */
export const atMost = (name: string, goal: number, ratio: Ratio, details: string): Row => ({
  name,
  goal: `goal at most ${goal}x`,
  measured: formatRatio(ratio),
  details,
  verdict: ratio.value <= goal ? 'ok' : 'MISSED',
})

/** A row whose median must be at most `goal`. */
export const medianAtMost = (
  name: string,
  goal: number,
  unit: string,
  values: readonly number[],
  details: string,
): Row => {
  const value = median(values)
  const range = `[${format(Math.min(...values))}..${format(Math.max(...values))}]`
  return {
    name,
    goal: `goal at most ${goal} ${unit}`.trimEnd(),
    measured: `${format(value)} ${unit} ${range}`.replace('  ', ' '),
    details,
    verdict: value <= goal ? 'ok' : 'MISSED',
  }
}

/** A row for figures that cannot be measured here, with the reason. */
export const skipped = (name: string, reason: string): Row => ({
  name,
  goal: '',
  measured: '',
  details: reason,
  verdict: 'skipped',
})

/** Milliseconds in readable form. */
export const ms = (value: number): string =>
  value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`

const formatRatio = ({ value, lowest, highest }: Ratio): string =>
  `${format(value)}x [${format(lowest)}..${format(highest)}]`

const format = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(1))

const print = (line: string) => void process.stdout.write(`${line}\n`)
