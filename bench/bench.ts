import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ContenderName, contenderNames, contenders, runContender } from './contender.ts'
import type { Job, Result } from './contenders/job.ts'
import { type Fill, writeInput } from './inputs/file.ts'
import type { BenchOptions } from './part.ts'
import { atLeast, ms, printTitle, type Row } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

/** One input, and the goals for it. */
export interface Bench {
  name: string
  agent: string
  transport: Job['transport']
  fill: Fill
  /** In a run with `--full`. */
  rounds: number
  /**
   * Also measures a process that reads the input this many times, because a server is warm too. Every
   * decoder has functions of its own, which V8 compiles again, so a short input needs more passes.
   */
  passes?: number | undefined
  /** For each contender: at least how many times Sluice’s CPU time its CPU time must be. */
  goals: Partial<Record<Exclude<ContenderName, 'sluice'>, number>>
  /** The most memory that Sluice’s process may use. */
  peakRssMb?: number
}

/** Writes the input, lets the contenders read it in turn, and compares them. */
export const runBench = async (bench: Bench, options: BenchOptions): Promise<Row[]> => {
  const directory = mkdtempSync(join(options.directory, `${bench.name}-`))
  try {
    const { agent, transport } = bench
    const job = { agent, file: join(directory, 'input'), transport, passes: bench.passes ?? 1 }
    writeInput(job.file, bench.fill, options.scale)
    const rounds = options.rounds(bench.rounds)
    const figures = await runRounds(contendersOf(bench, job, options), rounds)
    return compare({ ...bench, rounds }, figures)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const contendersOf = (bench: Bench, job: Job, options: BenchOptions) => {
  const names = contenderNames.filter(
    (name) => name === 'sluice' || bench.goals[name] !== undefined,
  )
  return new Map(names.map((name) => [name, () => runContender(name, job, options)]))
}

const compare = (bench: Bench, figures: ReadonlyMap<ContenderName, Result[]>): Row[] => {
  const ours = figures.get('sluice') ?? []
  const first = requireAgreement(bench.name, [...figures.values()].flat())
  printTitle(bench.name, describeInput(bench, first))
  const rows: Row[] = []
  for (const [name, results] of figures) {
    const goal = name === 'sluice' ? undefined : bench.goals[name]
    if (goal === undefined) continue
    const compareCpu = (when: string, cpuOf: (result: Result) => number) => {
      const [theirs, our] = [results.map(cpuOf), ours.map(cpuOf)]
      const title = `CPU of ${contenders[name]} : Sluice${when}`
      return atLeast(
        title,
        goal,
        ratioOf(theirs, our),
        `${ms(median(theirs))} : ${ms(median(our))}`,
      )
    }
    rows.push(compareCpu('', ({ cpuMs }) => cpuMs))
    if (bench.passes !== undefined) rows.push(compareCpu(', warm', ({ warmCpuMs }) => warmCpuMs))
  }
  if (bench.peakRssMb !== undefined) rows.push(memoryRow(bench.peakRssMb, ours))
  return rows
}

/** Throws unless all contenders have read the same. */
const requireAgreement = (name: string, results: readonly Result[]): Result => {
  const [first] = results
  if (!first) throw new Error(`${name}: there are no results`)
  for (const result of results)
    for (const key of ['bytes', 'lines', 'chars'] as const)
      if (result[key] !== undefined && result[key] !== first[key])
        throw new Error(`${name}: ${key} ${result[key]} differs from Sluice’s ${first[key]}`)
  return first
}

const memoryRow = (limit: number, ours: readonly Result[]): Row => {
  const peaks = ours.map((result) => result.peakRssMb)
  const peak = Math.max(...peaks)
  return {
    name: 'peak memory of Sluice’s process',
    goal: `goal at most ${limit} MB`,
    measured: `${peak.toFixed(0)} MB`,
    details: `highest of ${peaks.length}, median ${median(peaks).toFixed(0)} MB`,
    verdict: peak <= limit ? 'ok' : 'MISSED',
  }
}

const describeInput = (
  bench: Bench,
  { bytes, lines = 0, chars = 0, events = 0 }: Result,
): string => {
  const from = bench.transport === 'child' ? 'from a child process' : 'from memory, 64 KiB chunks'
  const count = (value: number) => value.toLocaleString('en')
  const size = `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB, ${count(lines)} lines`
  return `${size}, ${count(chars)} delta characters, ${count(events)} events, ${from}; ${bench.rounds} rounds`
}
