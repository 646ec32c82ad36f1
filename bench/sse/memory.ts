import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { atMostOf, printTitle, type Row, skipped } from '../report.ts'
import { runRounds } from '../rounds.ts'
import type { Setting } from '../setting.ts'
import type { Job } from './job.ts'
import { compilePrograms } from './programs.ts'
import { type Command, type Figures, loadOf, node, runRound, start } from './round.ts'

const rounds = 3

/** What readers cost that do not read: 500 of them, while events pass. */
export const runStalled = async (setting: Setting): Promise<Row[]> => {
  const programs = compilePrograms(setting)
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
  printTitle('sse-stalled', `500 clients read nothing while 20,000 events pass; ${rounds} rounds`)
  const load = loadOf(programs.load, job, { options: ['stall'] })
  const round = async (): Promise<Figures> => {
    const directory = mkdtempSync(join(setting.directory, 'stalled-'))
    try {
      return await runRound(node('stalled', { ...job, directory }), load, setting)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  const figures = (await runRounds(new Map([['sluice', round]]), setting.quick ? 1 : rounds)).get(
    'sluice',
  )
  const of = (name: string) => (figures ?? []).map((each) => each[name] ?? Number.NaN)
  const events = `${Math.min(...of('stalled'))} of 500 had stalled, ${Math.max(...of('cut'))} were cut`
  return [
    atMostOf('growth of memory', 32, 'MB', of('grownMb'), events),
    // `runRound` fails where a reader has not seen every event once and in order.
    atMostOf('events lost when they read on', 0, '', of('wrong'), 'of 12,500,000'),
  ]
}

/** What readers cost that have nothing to read. */
export const runIdle = async (setting: Setting): Promise<Row[]> => {
  const programs = compilePrograms(setting)
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
  printTitle('sse-idle', `1,000 clients without events; ${rounds} rounds`)
  const crowd = (clients: number) =>
    loadOf(programs.load, { ...job, clients }, { options: ['stall'] })
  const round = (kind: string) => () =>
    runCrowds(node('idle', job, kind), [crowd(50), crowd(job.clients)], setting)
  const contenders = new Map([
    ['sluice', round('sluice')],
    ['bare', round('bare')],
  ])
  const figures = await runRounds(contenders, setting.quick ? 1 : rounds)
  const of = (name: string) => (figures.get(name) ?? []).map((each) => each.kibEach ?? Number.NaN)
  const bare = `node:http alone: ${of('bare')
    .map((each) => each.toFixed(1))
    .join(', ')} KiB`
  return [atMostOf('memory of each', 30, 'KiB', of('sluice'), bare)]
}

type Load = (port: number) => Command

/** A small crowd comes and goes, then the large one: what the very first one costs is not counted. */
const runCrowds = async (
  server: Command,
  [small, large]: readonly [Load, Load],
  { signal }: Setting,
): Promise<Figures> => {
  const serving = start(server, signal)
  try {
    const port = Number(await serving.said('port'))
    const first = start(small(port), signal)
    await first.said('ready')
    first.stop()
    await first.gone
    serving.tell('at 1')
    await serving.said('next')
    const second = start(large(port), signal)
    await second.said('ready')
    serving.tell('at 1')
    const figures: Figures = JSON.parse(await serving.said('done'))
    second.stop()
    return figures
  } finally {
    serving.stop()
  }
}
