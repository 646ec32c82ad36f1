import type { BenchOptions } from '../part.ts'
import { atLeast, atMost, printTitle, type Row, skipped } from '../report.ts'
import { median, ratioOf, runRounds } from '../rounds.ts'
import type { Job } from './job.ts'
import { compilePrograms } from './programs.ts'
import { loadOf, node, runRound } from './round.ts'

const base = { clients: 100, warmUp: 320, window: 0, step: 1, isUnreported: true }
const all: readonly (readonly [about: string, job: Job])[] = [
  ['16 per turn', { ...base, events: 9600, perTurn: 16, perSecond: 4800 }],
  ['1 per turn', { ...base, events: 920, perTurn: 1, perSecond: 300 }],
]

/** Measures what compression saves and costs, at a pace that both can keep. */
export const runCompression = async (options: BenchOptions): Promise<Row[]> => {
  const programs = compilePrograms(options)
  if (typeof programs === 'string') return [skipped('compression', programs)]
  const rows: Row[] = []
  for (const [about, job] of all) {
    const times = options.rounds(5)
    printTitle(
      'sse-compression',
      `100 clients, ${about}, ${job.perSecond} a second; ${times} rounds`,
    )
    const round = (...flags: string[]) => {
      const load = loadOf(programs.load, job, { flags })
      return () => runRound(node('sluice', job), load, options)
    }
    const figures = await runRounds(
      new Map([
        ['plain', round('blind')],
        ['gzip', round('blind', 'gzip')],
      ]),
      times,
    )
    const of = (name: string, figure: string) =>
      (figures.get(name) ?? []).map((each) => each[figure] ?? Number.NaN)
    const each = (bytes: number[]) => `${(median(bytes) / job.clients / job.events).toFixed(0)} B`
    const micros = (cpu: number[]) =>
      `${((median(cpu) * 1000) / job.clients / (job.events - job.warmUp)).toFixed(2)} µs`
    const [plain, gzip] = [of('plain', 'bytes'), of('gzip', 'bytes')]
    const [cpu, gzipCpu] = [of('plain', 'cpuMs'), of('gzip', 'cpuMs')]
    rows.push(
      atLeast(
        `${about}: bytes plain : gzip`,
        3,
        ratioOf(plain, gzip),
        `${each(plain)} : ${each(gzip)}`,
      ),
      atMost(
        `${about}: CPU gzip : plain`,
        2,
        ratioOf(gzipCpu, cpu),
        `${micros(gzipCpu)} : ${micros(cpu)}`,
      ),
    )
  }
  return rows
}
