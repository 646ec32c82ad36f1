import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { natsMissing, startNats } from '../test/support/nats-server.ts'
import type { Figures } from './log/job.ts'
import { type AppendJob, sessionCount } from './nats/append-job.ts'
import type { BenchOptions } from './part.ts'
import { atLeast, medianAtMost, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

const program = fileURLToPath(new URL('nats/append.ts', import.meta.url))
/** Events in a message, and the most CPU time that the log may use for each, in µs. */
const sizes = [
  { size: 16, goalUs: 6 },
  { size: 64, goalUs: 2 },
]

/** Measures appends to the log in JetStream, with three real servers. */
export const runJetStreamAppend = async (options: BenchOptions): Promise<Row[]> => {
  const count = 250_000 * options.scale
  const rounds = options.rounds(5)
  const sessions = `${count} events of ${sessionCount} sessions`
  printTitle('jetstream-append', `${sessions}, three servers that store all; ${rounds} rounds`)
  const missing = natsMissing()
  if (missing !== undefined) return [skipped('appends to JetStream', missing)]
  const nats = await startNats(3)
  try {
    const rows: Row[] = []
    for (const { size, goalUs } of sizes) {
      const job = { servers: nats.urls, replicas: 3, count, size }
      rows.push(...rowsOf(size, goalUs, await compete(job, rounds, options)))
    }
    return rows
  } finally {
    await nats.stop()
  }
}

const compete = async (
  job: Pick<AppendJob, 'servers' | 'replicas' | 'count' | 'size'>,
  rounds: number,
  options: BenchOptions,
) => {
  let runs = 0
  const start = (contender: AppendJob['contender']) => () => {
    runs += 1
    const directory = mkdtempSync(join(options.directory, 'nats-'))
    return runAppend({ ...job, contender, directory, tenant: `t${job.size}-${runs}` }, options)
  }
  const contenders = new Map([
    ['log', start('log')],
    ['bare', start('bare')],
  ] as const)
  const figures = await runRounds(contenders, rounds)
  return { log: figures.get('log') ?? [], bare: figures.get('bare') ?? [] }
}

const rowsOf = (
  size: number,
  goalUs: number,
  { log, bare }: { log: Figures[]; bare: Figures[] },
): Row[] => {
  const rate = (figures: Figures[]) => figures.map(({ events = 0, wallMs = 0 }) => events / wallMs)
  const us = (figures: Figures[]) =>
    figures.map(({ events = 0, cpuMs = 0 }) => (cpuMs * 1000) / events)
  const thousands = (figures: Figures[]) => `${median(rate(figures)).toFixed(0)}k`
  return [
    atLeast(
      `rate by ${size}, log : bare publish`,
      0.5,
      ratioOf(rate(log), rate(bare)),
      `${thousands(log)} : ${thousands(bare)} events per second`,
    ),
    medianAtMost(
      `CPU of an event by ${size}`,
      goalUs,
      'µs',
      us(log),
      `bare publish of finished bytes ${median(us(bare)).toFixed(1)} µs`,
    ),
  ]
}

const runAppend = async (job: AppendJob, { signal }: BenchOptions): Promise<Figures> => {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`nats/append exited with code ${code}`)
  return JSON.parse(printed)
}
