import type { BenchOptions } from '../part.ts'
import { atLeast, atMost, printTitle, type Row, skipped } from '../report.ts'
import { median, ratioOf, runRounds } from '../rounds.ts'
import { type Job, plainArguments } from './job.ts'
import { compilePrograms } from './programs.ts'
import { type Figures, loadOf, node, runRound } from './round.ts'

/** How events come, and what Sluice may cost then. */
interface FanOut {
  about: string
  job: Job
  rounds: number
  /** CPU time: at most `floor` times that of the C program, and better-sse’s at least `library` times ours. */
  cpu?: { floor: number; library: number }
  /** Delay: at most so many times that of the C program. */
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

/** Measures what it costs to send the same events to many clients, and how long that takes. */
export const runFanOut = async (options: BenchOptions): Promise<Row[]> => {
  const programs = compilePrograms(options)
  if (typeof programs === 'string') return [skipped('fan-out', programs)]
  const rows: Row[] = []
  for (const { about, job, rounds: full, ...goals } of all) {
    const rounds = options.rounds(full)
    printTitle('sse-fan-out', `200-byte events, ${about}; ${rounds} rounds`)
    const load = loadOf(programs.load, job)
    const contenders = new Map([
      ['sluice', () => runRound(node('sluice', job), load, options)],
      ['floor', () => runRound([programs.floor, ...plainArguments(job)], load, options)],
      ...(goals.cpu
        ? [['library', () => runRound(node('better-sse', job), load, options)] as const]
        : []),
    ])
    const figures = await runRounds(contenders, rounds)
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
    const details = `${median(late).toFixed(1)} ms : ${median(least).toFixed(1)} ms`
    rows.push(atMost(`${about}: ${part} : C’s`, goal, ratioOf(late, least), details))
  }
  return rows
}
