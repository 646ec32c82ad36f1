import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProblem } from './bundle.ts'
import { type History, writeHistory } from './import/history.ts'
import { type Measured, measure } from './import/programs.ts'
import type { BenchOptions } from './part.ts'
import { atLeast, ms, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf } from './rounds.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Compares `sluice import` with a program that only adds up the tokens of the same files. */
export const runImport = async (options: BenchOptions): Promise<Row[]> => {
  const problem = bundleProblem()
  if (problem !== undefined) return [skipped('import', problem)]
  return [
    ...(await runHistory('short conversations', { bytes: 1e9, onlyMessages: false }, options)),
    ...(await runHistory('only messages', { bytes: 250e6, onlyMessages: true }, options)),
  ]
}

interface Input {
  bytes: number
  onlyMessages: boolean
}

/** What one round has measured. */
interface Round {
  theirs: Measured
  first: Measured
  second: Measured
}

const runHistory = async (
  name: string,
  { bytes, onlyMessages }: Input,
  options: BenchOptions,
): Promise<Row[]> => {
  const directory = mkdtempSync(join(options.directory, 'import-'))
  try {
    const history = writeHistory({ directory, bytes: bytes * options.scale, onlyMessages })
    const count = options.rounds(3)
    const size = `${(history.bytes / 1e6).toFixed(0)} MB in ${history.files} files`
    const served = `${history.sessions} sessions, ${history.served.calls} calls`
    printTitle('import', `${name}: ${size}, ${served}; ${count} rounds`)
    const rounds: Round[] = []
    for (let round = 0; round < count; round += 1)
      rounds.push(await runRound(directory, round % 2 === 0, options))
    for (const each of rounds) requireTotals(history, each.theirs)
    return rowsOf(name, rounds)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** ccusage if its program is named, or else a reader of our own. */
const peerCommand = (directory: string): { name: string; command: string[]; isNode: boolean } => {
  const ccusage = process.env.CCUSAGE_BIN
  if (ccusage !== undefined)
    return {
      name: 'ccusage',
      command: [ccusage, 'claude', 'daily', '--offline', '--json'],
      isNode: false,
    }
  const program = fileURLToPath(new URL('import/json-parse.ts', import.meta.url))
  return {
    ...{ name: 'readline + JSON.parse', isNode: true },
    command: [process.execPath, program, join(directory, 'projects')],
  }
}

const runRound = async (
  directory: string,
  isPeerFirst: boolean,
  { signal }: BenchOptions,
): Promise<Round> => {
  const data = join(directory, 'data')
  const env = { ...process.env, CLAUDE_CONFIG_DIR: directory, TMPDIR: directory, HOME: directory }
  const { command, isNode } = peerCommand(directory)
  const runPeer = () => measure({ command, env, signal, isNode })
  const sluice = join(root, 'bin/sluice.js')
  const imported = [process.execPath, sluice, 'import', 'claude', '--data', data, '--json']
  const runOurs = () => measure({ command: imported, env, signal, isNode: true })
  const early = isPeerFirst ? await runPeer() : undefined
  const first = await runOurs()
  const second = await runOurs()
  const theirs = early ?? (await runPeer())
  rmSync(data, { recursive: true, force: true })
  return { theirs, first, second }
}

/** Throws unless the other program has counted what was served. */
const requireTotals = ({ served }: History, { printed }: Measured): void => {
  const { totals } = JSON.parse(printed)
  if (totals.outputTokens !== served.output)
    throw new Error(`import: counted ${totals.outputTokens} tokens of ${served.output}`)
}

const rowsOf = (name: string, rounds: readonly Round[]): Row[] => {
  const peer = peerCommand('').name
  const of = (key: keyof Round, what: 'cpuMs' | 'wallMs') => rounds.map((each) => each[key][what])
  const compare = (title: string, goal: number, above: number[], below: number[]): Row =>
    atLeast(title, goal, ratioOf(above, below), `${ms(median(above))} : ${ms(median(below))}`)
  const peaks = rounds.map(({ first }) => first.peakRssMb ?? Number.NaN)
  return [
    compare(`${name}: time of ${peer} : import`, 1, of('theirs', 'wallMs'), of('first', 'wallMs')),
    compare(`${name}: CPU of ${peer} : import`, 1, of('theirs', 'cpuMs'), of('first', 'cpuMs')),
    compare(
      `${name}: time of the first : second run`,
      10,
      of('first', 'wallMs'),
      of('second', 'wallMs'),
    ),
    {
      ...{ name: `${name}: peak memory`, goal: 'goal at most 400 MB' },
      ...{ measured: `${Math.max(...peaks).toFixed(0)} MB`, details: `highest of ${peaks.length}` },
      verdict: Math.max(...peaks) <= 400 ? 'ok' : 'MISSED',
    },
  ]
}
