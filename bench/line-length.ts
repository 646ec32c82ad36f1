import { join } from 'node:path'
import { runContender } from './contender.ts'
import { writeInput } from './inputs/file.ts'
import { hugeLines } from './inputs/pi-tools.ts'
import { atMost, ms, printTitle, type Row } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'
import type { Setting } from './setting.ts'

const MB = 1_000_000
const total = 48 * MB
const lengths = [1, 4, 16]
const rounds = 5
/** A quadratic reader would be at 4 and 16. */
const goal = 1.5

/** What a byte costs must not depend on how long its line is. */
export const runLineLength = async (setting: Setting): Promise<Row[]> => {
  const byLength = new Map(lengths.map((length) => [`${length}`, lineJob(length, setting)]))
  const figures = await runRounds(byLength, rounds)
  printTitle(
    'line-length',
    `the same ${total / MB} MB in lines of 1, 4 and 16 MB; ${rounds} rounds`,
  )
  const costs = (length: number) => (figures.get(`${length}`) ?? []).map((each) => each.cpuMs)
  const shortest = costs(1)
  return lengths.slice(1).map((length) => {
    const behind = `${ms(median(costs(length)))} : ${ms(median(shortest))}`
    const what = `CPU per byte, lines of ${length} MB : 1 MB`
    return atMost(what, goal, ratioOf(costs(length), shortest), behind)
  })
}

const lineJob = (length: number, setting: Setting) => {
  const file = join(setting.directory, `lines-of-${length}-mb`)
  // Three lines of 16 MB at least, or there would be nothing to compare.
  writeInput(file, hugeLines(length * MB, total), 1)
  return () =>
    runContender('sluice', { agent: 'pi', file, transport: 'memory', passes: 1 }, setting)
}
