import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteLog } from '../../src/log/index.ts'
import type { BenchOptions } from '../part.ts'
import { atMost, ms, printTitle, type Row, skipped } from '../report.ts'
import { median, ratioOf, runRounds } from '../rounds.ts'
import type { Job } from './job.ts'
import { openStreams } from './open-streams.ts'
import { eventOf } from './produce.ts'
import { compilePrograms } from './programs.ts'
import { type Command, type Figures, loadOf, node, startProgram } from './round.ts'

const events = 10_000
/** How many readers come in one round, and how many of them before the measurement starts. */
const readers = 40
const early = 20

/** Measures the cost of resuming a stream after 10,000 missed events. */
export const runCatchUp = async (options: BenchOptions): Promise<Row[]> => {
  const programs = compilePrograms(options)
  if (typeof programs === 'string') return [skipped('catching up', programs)]
  const rounds = options.rounds(5)
  const directory = mkdtempSync(join(options.directory, 'catch-up-'))
  try {
    await fill(directory)
    const job: Job = {
      clients: readers,
      events,
      perTurn: 1,
      warmUp: early,
      window: 0,
      step: events,
      perSecond: 0,
      directory,
    }
    printTitle('sse-resume', `${events} missed events, one client after another; ${rounds} rounds`)
    const round = (kind: string, ...flags: string[]) => {
      const load = loadOf(programs.load, { ...job, clients: 1 }, { path: '/?after=0', flags })
      return () => runReaders(node('resume', job, kind), load, options)
    }
    const contenders = new Map([
      ['stream', round('stream')],
      ['rows', round('rows', 'blind')],
    ])
    const figures = await runRounds(contenders, rounds)
    const of = (name: string) => (figures.get(name) ?? []).map((each) => each.cpuMs ?? Number.NaN)
    const each = (values: number[]) => ms(median(values) / (readers - early))
    const details = `${each(of('stream'))} : ${each(of('rows'))}`
    return [
      atMost('CPU of the stream : reading the rows', 2, ratioOf(of('stream'), of('rows')), details),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const fill = async (directory: string): Promise<void> => {
  const { log } = await openStreams(await openSqliteLog(directory, { synchronous: 'NORMAL' }))
  for (let seq = 1; seq <= events; seq += 100)
    await log.append(
      's',
      Array.from({ length: 100 }, (_, index) => eventOf(seq + index)),
    )
  await log.close()
}

const runReaders = async (
  serverCommand: Command,
  loadCommand: (port: number) => Command,
  { signal }: BenchOptions,
): Promise<Figures> => {
  const server = startProgram(serverCommand, signal)
  try {
    const port = Number(await server.waitFor('port'))
    for (let reader = 0; reader < readers; reader += 1) {
      const load = startProgram(loadCommand(port), signal)
      const { wrong, behind } = JSON.parse(await load.waitFor('done'))
      if (wrong || behind) throw new Error('Events are missing.')
      server.send(`at ${events}`)
    }
    return JSON.parse(await server.waitFor('done'))
  } finally {
    server.stop()
  }
}
