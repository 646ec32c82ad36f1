import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchOptions } from '../part.ts'
import { medianAtMost, printTitle, type Row, skipped } from '../report.ts'
import { runRounds } from '../rounds.ts'
import type { Job } from './job.ts'
import { compilePrograms } from './programs.ts'
import { type Command, type Figures, loadOf, node, runRound, startProgram } from './round.ts'

/** In a run with `--full`. */
const fullRounds = 3

/** Measures the memory for 500 clients that do not read while events are published. */
export const runStalled = async (options: BenchOptions): Promise<Row[]> => {
  const programs = compilePrograms(options)
  if (typeof programs === 'string') return [skipped('stalled readers', programs)]
  const job: Job = {
    clients: 500,
    events: 25_000,
    perTurn: 10,
    warmUp: 5000,
    window: 0,
    step: 25_000,
    perSecond: 0,
  }
  const rounds = options.rounds(fullRounds)
  printTitle(
    'sse-stalled',
    `500 clients read nothing while 20,000 events are published; ${rounds} rounds`,
  )
  const load = loadOf(programs.load, job, { flags: ['stall'] })
  const round = async (): Promise<Figures> => {
    const directory = mkdtempSync(join(options.directory, 'stalled-'))
    try {
      return await runRound(node('stalled', { ...job, directory }), load, options)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  const figures = (await runRounds(new Map([['sluice', round]]), rounds)).get('sluice')
  const of = (name: string) => (figures ?? []).map((each) => each[name] ?? Number.NaN)
  const events = `${Math.min(...of('stalled'))} of 500 had stalled, ${Math.max(...of('cut'))} were cut`
  return [
    medianAtMost('growth of memory', 32, 'MB', of('grownMb'), events),
    // `runRound` fails when a reader has not received every event once and in order.
    medianAtMost('events lost when they continue', 0, '', of('wrong'), 'of 12,500,000'),
  ]
}

/** Measures the memory for clients that receive nothing. */
export const runIdle = async (options: BenchOptions): Promise<Row[]> => {
  const programs = compilePrograms(options)
  if (typeof programs === 'string') return [skipped('idle readers', programs)]
  const job: Job = {
    clients: 1000,
    events: 1,
    perTurn: 1,
    warmUp: 0,
    window: 1,
    step: 1,
    perSecond: 0,
  }
  const rounds = options.rounds(fullRounds)
  printTitle('sse-idle', `1,000 clients without events; ${rounds} rounds`)
  const clientsOf = (clients: number) =>
    loadOf(programs.load, { ...job, clients }, { flags: ['stall'] })
  const round = (kind: string) => () =>
    measureGrowth(node('idle', job, kind), [clientsOf(50), clientsOf(job.clients)], options)
  const contenders = new Map([
    ['sluice', round('sluice')],
    ['bare', round('bare')],
  ])
  const figures = await runRounds(contenders, rounds)
  const of = (name: string) => (figures.get(name) ?? []).map((each) => each.kibEach ?? Number.NaN)
  const bare = `node:http alone: ${of('bare')
    .map((each) => each.toFixed(1))
    .join(', ')} KiB`
  return [medianAtMost('memory of each', 30, 'KiB', of('sluice'), bare)]
}

type Load = (port: number) => Command

/** A few clients come and go before the many, so that the cost of the very first is not counted. */
const measureGrowth = async (
  serverCommand: Command,
  [few, many]: readonly [Load, Load],
  { signal }: BenchOptions,
): Promise<Figures> => {
  const server = startProgram(serverCommand, signal)
  try {
    const port = Number(await server.waitFor('port'))
    const first = startProgram(few(port), signal)
    await first.waitFor('ready')
    first.stop()
    await first.ended
    server.send('at 1')
    await server.waitFor('next')
    const second = startProgram(many(port), signal)
    await second.waitFor('ready')
    server.send('at 1')
    const figures: Figures = JSON.parse(await server.waitFor('done'))
    second.stop()
    return figures
  } finally {
    server.stop()
  }
}
