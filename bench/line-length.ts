import { join } from 'node:path'
import { runContender } from './contender.ts'
import { writeInput } from './inputs/file.ts'
import { hugeLines } from './inputs/pi-tools.ts'
import type { BenchOptions } from './part.ts'
import { atMost, ms, printTitle, type Row } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

const MB = 1_000_000
const total = 48 * MB
const lengths = [1, 4, 16]
/** A quadratic reader would have ratios of 4 and 16. */
const goal = 1.5

/** Checks that the cost of a byte does not depend on the length of its line. */
export const runLineLength = async (options: BenchOptions): Promise<Row[]> => {
  const rounds = options.rounds(5)
  const byLength = new Map(lengths.map((length) => [`${length}`, lineJob(length, options)]))
  const figures = await runRounds(byLength, rounds)
  printTitle(
    'line-length',
    `the same ${total / MB} MB in lines of 1, 4 and 16 MB; ${rounds} rounds`,
  )
  const costs = (length: number) => (figures.get(`${length}`) ?? []).map((each) => each.cpuMs)
  const shortest = costs(1)
  return lengths.slice(1).map((length) => {
    const details = `${ms(median(costs(length)))} : ${ms(median(shortest))}`
    const name = `CPU per byte, lines of ${length} MB : 1 MB`
    return atMost(name, goal, ratioOf(costs(length), shortest), details)
  })
}

const lineJob = (length: number, options: BenchOptions) => {
  const file = join(options.directory, `lines-of-${length}-mb`)
  // Always the full size: a tenth would be less than one line of 16 MB.
  writeInput(file, hugeLines(length * MB, total), 1)
  return () =>
    runContender('sluice', { agent: 'pi', file, transport: 'memory', passes: 1 }, options)
}
