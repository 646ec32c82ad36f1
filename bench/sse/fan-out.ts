import { atLeast, atMost, printTitle, type Row, skipped } from '../report.ts'
import { median, ratioOf, runRounds } from '../rounds.ts'
import type { Setting } from '../setting.ts'
import { type Job, plainArguments } from './job.ts'
import { compilePrograms } from './programs.ts'
import { type Figures, loadOf, node, runRound } from './round.ts'

/** How events come, and what Sluice may cost. */
interface FanOut {
  about: string
  job: Job
  rounds: number
  /** At most so many times the CPU time of the floor, at least so many times less than the library. */
  cpu?: { floor: number; library: number }
  /** At most so many times as late as the floor. */
  delay?: { p50: number; p99: number }
}

const flood = { perTurn: 1, perSecond: 0 }

const all: readonly FanOut[] = [
  {
    about: '100 clients, 1 per turn',
    job: { ...flood, clients: 100, events: 3000, warmUp: 600, window: 120, step: 20 },
    rounds: 5,
    cpu: { floor: 2.5, library: 1.5 },
  },
  {
    about: '1,000 clients, 1 per turn',
    job: { ...flood, clients: 1000, events: 400, warmUp: 100, window: 60, step: 20 },
    rounds: 3,
    cpu: { floor: 2.5, library: 1.5 },
  },
  {
    about: '100 clients, 16 per turn',
    job: {
      clients: 100,
      events: 16_000,
      perTurn: 16,
      warmUp: 3200,
      window: 640,
      step: 160,
      perSecond: 0,
    },
    rounds: 3,
    cpu: { floor: 3.5, library: 5 },
  },
  {
    about: '1,000 clients, 10 a second',
    job: { clients: 1000, events: 60, perTurn: 1, warmUp: 0, window: 60, step: 20, perSecond: 10 },
    rounds: 3,
    delay: { p50: 1.6, p99: 2 },
  },
]

/** What it costs to give the same events to many, and how late the last one gets them. */
export const runFanOut = async (setting: Setting): Promise<Row[]> => {
  const programs = compilePrograms(setting)
  if (typeof programs === 'string') return [skipped('fan-out', programs)]
  const rows: Row[] = []
  for (const { about, job, rounds, ...goals } of all) {
    printTitle('sse-fan-out', `200-byte events, ${about}; ${setting.quick ? 1 : rounds} rounds`)
    const load = loadOf(programs.load, job)
    const contenders = new Map([
      ['sluice', () => runRound(node('sluice', job), load, setting)],
      ['floor', () => runRound([programs.floor, ...plainArguments(job)], load, setting)],
      ...(goals.cpu
        ? [['library', () => runRound(node('better-sse', job), load, setting)] as const]
        : []),
    ])
    const figures = await runRounds(contenders, setting.quick ? 1 : rounds)
    rows.push(...compare(about, job, goals, figures))
  }
  return rows
}

const compare = (
  about: string,
  { clients, events, warmUp }: Job,
  { cpu, delay }: Pick<FanOut, 'cpu' | 'delay'>,
  figures: ReadonlyMap<string, Figures[]>,
): Row[] => {
  const of = (name: string, figure: string) =>
    (figures.get(name) ?? []).map((each) => each[figure] ?? Number.NaN)
  const deliveries = clients * (events - warmUp)
  const micros = (values: number[]) => `${((median(values) * 1000) / deliveries).toFixed(2)} µs`
  const ours = of('sluice', 'cpuMs')
  const rows: Row[] = []
  if (cpu) {
    const [floor, library] = [of('floor', 'cpuMs'), of('library', 'cpuMs')]
    rows.push(
      atMost(
        `${about}: CPU : C’s`,
        cpu.floor,
        ratioOf(ours, floor),
        `${micros(ours)} : ${micros(floor)}`,
      ),
      atLeast(
        `${about}: better-sse’s : ours`,
        cpu.library,
        ratioOf(library, ours),
        `${micros(library)} : ${micros(ours)}`,
      ),
    )
  }
  for (const [part, goal] of Object.entries(delay ?? {})) {
    const [late, least] = [of('sluice', part), of('floor', part)]
    const behind = `${median(late).toFixed(1)} ms : ${median(least).toFixed(1)} ms`
    rows.push(atMost(`${about}: ${part} : C’s`, goal, ratioOf(late, least), behind))
  }
  return rows
}
