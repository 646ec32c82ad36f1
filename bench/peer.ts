import { accessSync, constants } from 'node:fs'
import { whyNoBundle } from './bundle.ts'
import type { Job, Result } from './peer/job.ts'
import { compilePeerPrograms, type PeerPrograms } from './peer/programs.ts'
import { runPeerRound } from './peer/round.ts'
import { startSandboxAgent } from './peer/sandbox-agent.ts'
import { startSluice } from './peer/sluice.ts'
import { atLeast, atMost, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'
import type { Setting } from './setting.ts'

/** Sluice and another server, each with the same agent behind it and the same clients before it. */
export const runPeer = async (setting: Setting): Promise<Row[]> => {
  const program = process.env.SANDBOX_AGENT_BIN ?? ''
  printTitle('peer', `sandbox-agent, with the same agent behind it; ${roundsOf(setting)} rounds`)
  const programs = whatIsMissing(program) ?? compilePeerPrograms(setting)
  if (typeof programs === 'string') return [skipped('against sandbox-agent', programs)]
  const compare = (job: Job) => competition(job, program, programs, setting)
  return [
    ...(await runMany(compare, setting)),
    ...(await runFlood(compare, setting)),
    ...(await runOne(compare, setting)),
  ]
}

/** Sluice with each of its two ways to keep events, and the other one, which keeps none. */
interface Results {
  full: Result[]
  normal: Result[]
  theirs: Result[]
}

type Compare = (job: Job) => Promise<Results>

const roundsOf = ({ quick }: Setting): number => (quick ? 1 : 5)

const competition = async (
  job: Job,
  program: string,
  programs: PeerPrograms,
  setting: Setting,
): Promise<Results> => {
  const servers = {
    full: startSluice('full'),
    normal: startSluice('normal'),
    theirs: startSandboxAgent(program),
  }
  const contenders = new Map(
    (['full', 'normal', 'theirs'] as const).map((name) => [
      name,
      () => runPeerRound(servers[name], job, programs, setting),
    ]),
  )
  const results = await runRounds(contenders, roundsOf(setting))
  const of = (name: keyof Results) => results.get(name) ?? []
  return { full: of('full'), normal: of('normal'), theirs: of('theirs') }
}

/** A row for each way to keep events. */
const rowsOf = (
  { theirs, ...ways }: Results,
  row: (way: string, ours: Result[], theirs: Result[]) => Row,
) => (['full', 'normal'] as const).map((way) => row(`, log at ${way}`, ways[way], theirs))

/** A full room at an even pace: what each delivery costs, and how long it takes. */
const runMany = async (compare: Compare, { scale }: Setting): Promise<Row[]> => {
  const warmUp = { warmUp: 400, warmUpPerSecond: 200 }
  const job = { clients: 100, ...warmUp, lines: 500 * scale, perSecond: 100 }
  const results = await compare(job)
  const cpu = (results: Result[]) => results.map(({ cpuMs, delivered }) => cpuMs / delivered)
  const us = (results: Result[]) => `${(median(cpu(results)) * 1000).toFixed(1)} µs`
  return [
    ...rowsOf(results, (way, ours, theirs) =>
      atLeast(
        `100 clients, 100/s${way}: CPU of theirs : Sluice`,
        2,
        ratioOf(cpu(theirs), cpu(ours)),
        `${us(theirs)} : ${us(ours)} for each delivery`,
      ),
    ),
    ...rowsOf(results, (way, ours, theirs) =>
      delayRow(`100 clients, 100/s${way}: p50 of Sluice : theirs`, 1, ours, theirs),
    ),
  ]
}

/** As fast as it goes. */
const runFlood = async (compare: Compare, { scale }: Setting): Promise<Row[]> => {
  const warmUp = { warmUp: 400, warmUpPerSecond: 400 }
  const job = { clients: 10, ...warmUp, lines: 50_000 * scale, perSecond: 0 }
  const results = await compare(job)
  const rate = (results: Result[]) => results.map(({ delivered, wallMs }) => delivered / wallMs)
  const inThousands = (results: Result[]) => `${median(rate(results)).toFixed(0)}k`
  return [
    ...rowsOf(results, (way, ours, theirs) =>
      atLeast(
        `flood, 10 clients${way}: rate of Sluice : theirs`,
        5,
        ratioOf(rate(ours), rate(theirs)),
        `${inThousands(ours)} : ${inThousands(theirs)} deliveries in a second`,
      ),
    ),
    ...rowsOf(results, lossRow),
  ]
}

/** One person who watches an agent work. */
const runOne = async (compare: Compare, { scale }: Setting): Promise<Row[]> => {
  const warmUp = { warmUp: 2000, warmUpPerSecond: 1000 }
  const job = { clients: 1, ...warmUp, lines: 600 * scale, perSecond: 200 }
  return rowsOf(await compare(job), (way, ours, theirs) =>
    delayRow(`1 client, 200/s${way}: p50 of Sluice : theirs`, 1.5, ours, theirs),
  )
}

const delayRow = (what: string, goal: number, ours: Result[], theirs: Result[]): Row => {
  const p50 = (results: Result[]) => results.map((result) => result.p50)
  const behind = `${median(p50(ours)).toFixed(2)} ms : ${median(p50(theirs)).toFixed(2)} ms`
  return atMost(what, goal, ratioOf(p50(ours), p50(theirs)), behind)
}

const lossRow = (way: string, ours: Result[], theirs: Result[]): Row => {
  const sum = (results: Result[], key: 'lost' | 'delivered') =>
    results.reduce((total, result) => total + result[key], 0)
  const lost = sum(ours, 'lost')
  const theirShare = (100 * sum(theirs, 'lost')) / (sum(theirs, 'lost') + sum(theirs, 'delivered'))
  return {
    what: `flood, 10 clients${way}: lost by Sluice`,
    goal: 'goal none',
    measured: `${lost} of ${(lost + sum(ours, 'delivered')).toLocaleString('en')}`,
    behind: `sandbox-agent lost ${theirShare.toFixed(1)} %`,
    verdict: lost === 0 ? 'ok' : 'MISSED',
  }
}

const whatIsMissing = (program: string): string | undefined => {
  if (process.platform !== 'linux') return 'CPU time and clients are read the way Linux has it'
  if (program === '') return 'set SANDBOX_AGENT_BIN to the program of sandbox-agent 0.4'
  try {
    accessSync(program, constants.X_OK)
  } catch {
    return `SANDBOX_AGENT_BIN names no program: ${program}`
  }
  return whyNoBundle()
}
