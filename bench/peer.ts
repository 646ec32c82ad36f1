import { accessSync, constants } from 'node:fs'
import { bundleProblem } from './bundle.ts'
import type { BenchOptions } from './part.ts'
import { measureFlush } from './peer/flush.ts'
import type { Job, Result } from './peer/job.ts'
import { compilePeerPrograms, type PeerPrograms } from './peer/programs.ts'
import { runPeerRound } from './peer/round.ts'
import { startSandboxAgent } from './peer/sandbox-agent.ts'
import { startSluice } from './peer/sluice.ts'
import { atLeast, atMost, medianAtMost, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

/** Compares Sluice with another server. Both have the same agent and the same clients. */
export const runPeer = async (options: BenchOptions): Promise<Row[]> => {
  const program = process.env.SANDBOX_AGENT_BIN ?? ''
  printTitle(
    'peer',
    `compared with sandbox-agent, which runs the same agent; ${options.rounds(5)} rounds`,
  )
  const programs = setupProblem(program) ?? compilePeerPrograms(options)
  if (typeof programs === 'string') return [skipped('comparison with sandbox-agent', programs)]
  const compare = (job: Job) => runContenders(job, program, programs, options)
  return [
    ...(await runMany(compare, options)),
    ...(await runFlood(compare, options)),
    ...(await runOne(compare, options)),
  ]
}

/** The results of Sluice at both durabilities, and of the other server, which stores no events. */
interface Results {
  full: Result[]
  normal: Result[]
  theirs: Result[]
}

type Compare = (job: Job) => Promise<Results>

const runContenders = async (
  job: Job,
  program: string,
  programs: PeerPrograms,
  options: BenchOptions,
): Promise<Results> => {
  const servers = {
    full: startSluice('full'),
    normal: startSluice('normal'),
    theirs: startSandboxAgent(program),
  }
  const contenders = new Map(
    (['full', 'normal', 'theirs'] as const).map((name) => [
      name,
      () => runPeerRound(servers[name], job, programs, options),
    ]),
  )
  const results = await runRounds(contenders, options.rounds(5))
  const of = (name: keyof Results) => results.get(name) ?? []
  return { full: of('full'), normal: of('normal'), theirs: of('theirs') }
}

/** One row for each durability. */
const rowsOf = (
  { theirs, ...ours }: Results,
  row: (durability: string, ours: Result[], theirs: Result[]) => Row,
) => (['full', 'normal'] as const).map((name) => row(`, log at ${name}`, ours[name], theirs))

/** Many clients at an even pace: the cost and the delay of each delivery. */
const runMany = async (compare: Compare, { scale }: BenchOptions): Promise<Row[]> => {
  const warmUp = { warmUp: 400, warmUpPerSecond: 200 }
  const job = { clients: 100, ...warmUp, lines: 500 * scale, perSecond: 100 }
  const results = await compare(job)
  const cpu = (results: Result[]) => results.map(({ cpuMs, delivered }) => cpuMs / delivered)
  const us = (results: Result[]) => `${(median(cpu(results)) * 1000).toFixed(1)} µs`
  return [
    ...rowsOf(results, (durability, ours, theirs) =>
      atLeast(
        `100 clients, 100/s${durability}: CPU of theirs : Sluice`,
        2,
        ratioOf(cpu(theirs), cpu(ours)),
        `${us(theirs)} : ${us(ours)} for each delivery`,
      ),
    ),
    ...rowsOf(results, (durability, ours, theirs) =>
      delayRow(`100 clients, 100/s${durability}: p50 of Sluice : theirs`, 1, ours, theirs),
    ),
  ]
}

/** As fast as possible. */
const runFlood = async (compare: Compare, { scale }: BenchOptions): Promise<Row[]> => {
  const warmUp = { warmUp: 400, warmUpPerSecond: 400 }
  const job = { clients: 10, ...warmUp, lines: 50_000 * scale, perSecond: 0 }
  const results = await compare(job)
  const rate = (results: Result[]) => results.map(({ delivered, wallMs }) => delivered / wallMs)
  const inThousands = (results: Result[]) => `${median(rate(results)).toFixed(0)}k`
  return [
    ...rowsOf(results, (durability, ours, theirs) =>
      atLeast(
        `flood, 10 clients${durability}: rate of Sluice : theirs`,
        5,
        ratioOf(rate(ours), rate(theirs)),
        `${inThousands(ours)} : ${inThousands(theirs)} deliveries per second`,
      ),
    ),
    ...rowsOf(results, lossRow),
  ]
}

/** One client, as when a person watches an agent work. */
const runOne = async (compare: Compare, { directory, scale }: BenchOptions): Promise<Row[]> => {
  const warmUp = { warmUp: 2000, warmUpPerSecond: 1000 }
  const job = { clients: 1, ...warmUp, lines: 600 * scale, perSecond: 200 }
  const before = await measureFlush(directory, 100)
  const { full, normal, theirs } = await compare(job)
  const flush = median([before, await measureFlush(directory, 100)])
  const p50 = full.map((result) => result.p50)
  return [
    delayRow('1 client, 200/s, log at normal: p50 of Sluice : theirs', 2.5, normal, theirs),
    medianAtMost(
      '1 client, 200/s, log at full: p50 without one flush',
      0.5,
      'ms',
      p50.map((value) => value - flush),
      `p50 ${median(p50).toFixed(2)} ms, one flush ${flush.toFixed(2)} ms`,
    ),
  ]
}

const delayRow = (name: string, goal: number, ours: Result[], theirs: Result[]): Row => {
  const p50 = (results: Result[]) => results.map((result) => result.p50)
  const details = `${median(p50(ours)).toFixed(2)} ms : ${median(p50(theirs)).toFixed(2)} ms`
  return atMost(name, goal, ratioOf(p50(ours), p50(theirs)), details)
}

const lossRow = (durability: string, ours: Result[], theirs: Result[]): Row => {
  const sum = (results: Result[], key: 'lost' | 'delivered') =>
    results.reduce((total, result) => total + result[key], 0)
  const lost = sum(ours, 'lost')
  const theirShare = (100 * sum(theirs, 'lost')) / (sum(theirs, 'lost') + sum(theirs, 'delivered'))
  return {
    name: `flood, 10 clients${durability}: lost by Sluice`,
    goal: 'goal none',
    measured: `${lost} of ${(lost + sum(ours, 'delivered')).toLocaleString('en')}`,
    details: `sandbox-agent lost ${theirShare.toFixed(1)} %`,
    verdict: lost === 0 ? 'ok' : 'MISSED',
  }
}

const setupProblem = (program: string): string | undefined => {
  if (process.platform !== 'linux') return 'CPU time is read from /proc, which only Linux has'
  if (program === '') return 'set SANDBOX_AGENT_BIN to the path of sandbox-agent 0.4'
  try {
    accessSync(program, constants.X_OK)
  } catch {
    return `SANDBOX_AGENT_BIN is not a program: ${program}`
  }
  return bundleProblem()
}
