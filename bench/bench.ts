import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentName } from '../src/agents/index.ts'
import { type ContenderName, contenderNames, contenders, runContender } from './contender.ts'
import type { Job, Result } from './contenders/job.ts'
import { type Fill, writeInput } from './inputs/file.ts'
import { atLeast, ms, printTitle, type Row } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'
import type { Setting } from './setting.ts'

/** One input, and how Sluice must fare on it. */
export interface Bench {
  name: string
  agent: AgentName
  transport: Job['transport']
  fill: Fill
  rounds: number
  /** Whether it is also measured in a process that has read the same before, as a server has. */
  warm?: boolean
  /** How many times the others’ CPU time must be ours, at least. */
  goals: Partial<Record<Exclude<ContenderName, 'sluice'>, number>>
  /** The consumer’s whole process, at its highest. */
  peakRssMb?: number
}

/** Writes the input, lets the contenders read it in turns, and compares. */
export const runBench = async (bench: Bench, setting: Setting): Promise<Row[]> => {
  const directory = mkdtempSync(join(setting.directory, `${bench.name}-`))
  try {
    const { agent, transport } = bench
    const job = { agent, file: join(directory, 'input'), transport, passes: bench.warm ? 5 : 1 }
    writeInput(job.file, bench.fill, setting.scale)
    const figures = await runRounds(contendersOf(bench, job, setting), bench.rounds)
    return compare(bench, figures)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const contendersOf = (bench: Bench, job: Job, setting: Setting) => {
  const taking = contenderNames.filter(
    (name) => name === 'sluice' || bench.goals[name] !== undefined,
  )
  return new Map(taking.map((name) => [name, () => runContender(name, job, setting)]))
}

const compare = (bench: Bench, figures: ReadonlyMap<ContenderName, Result[]>): Row[] => {
  const ours = figures.get('sluice') ?? []
  const first = agreed(bench.name, [...figures.values()].flat())
  printTitle(bench.name, aboutInput(bench, first))
  const rows: Row[] = []
  for (const [name, results] of figures) {
    const goal = name === 'sluice' ? undefined : bench.goals[name]
    if (goal === undefined) continue
    const compareCpu = (when: string, cpuOf: (result: Result) => number) => {
      const [theirs, our] = [results.map(cpuOf), ours.map(cpuOf)]
      const what = `CPU of ${contenders[name]} : Sluice${when}`
      return atLeast(what, goal, ratioOf(theirs, our), `${ms(median(theirs))} : ${ms(median(our))}`)
    }
    rows.push(compareCpu('', ({ cpuMs }) => cpuMs))
    if (bench.warm) rows.push(compareCpu(', warm', ({ warmCpuMs }) => warmCpuMs))
  }
  if (bench.peakRssMb !== undefined) rows.push(memory(bench.peakRssMb, ours))
  return rows
}

/** All have read the same, or nothing is compared. */
const agreed = (name: string, results: readonly Result[]): Result => {
  const [first] = results
  if (!first) throw new Error(`${name}: nobody took part`)
  for (const result of results)
    for (const key of ['bytes', 'lines', 'chars'] as const)
      if (result[key] !== undefined && result[key] !== first[key])
        throw new Error(`${name}: ${key} ${result[key]} differs from Sluice’s ${first[key]}`)
  return first
}

const memory = (limit: number, ours: readonly Result[]): Row => {
  const peaks = ours.map((result) => result.peakRssMb)
  const peak = Math.max(...peaks)
  return {
    what: 'peak memory of Sluice’s process',
    goal: `goal at most ${limit} MB`,
    measured: `${peak.toFixed(0)} MB`,
    behind: `highest of ${peaks.length}, median ${median(peaks).toFixed(0)} MB`,
    verdict: peak <= limit ? 'ok' : 'MISSED',
  }
}

const aboutInput = (bench: Bench, { bytes, lines = 0, chars = 0, events = 0 }: Result): string => {
  const from = bench.transport === 'child' ? 'from a child process' : 'from memory, 64 KiB chunks'
  const count = (value: number) => value.toLocaleString('en')
  const size = `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB, ${count(lines)} lines`
  return `${size}, ${count(chars)} delta characters, ${count(events)} events, ${from}; ${bench.rounds} rounds`
}
