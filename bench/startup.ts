import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProblem } from './bundle.ts'
import type { BenchOptions } from './part.ts'
import { atMost, ms, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const recording = 'recordings/pi/1.5.0/multi-turn-5.ndjson'
const decode = ['decode', 'pi', recording, '--out', 'events']

const commands = {
  bare: ['-e', '0'],
  bundle: ['bin/sluice.js', ...decode],
  sources: ['src/cli/main.js', ...decode],
}

/** Measures the time from the start of the process to its end: what a person waits for. */
export const runStartup = async (options: BenchOptions): Promise<Row[]> => {
  const rounds = options.rounds(15)
  printTitle('startup', `sluice ${decode.join(' ')}; ${rounds} rounds, wall clock`)
  const problem = setupProblem()
  if (problem !== undefined) return [skipped('start-up', problem)]
  // A compile cache of this run’s own, filled by a first round that is not measured.
  const env = { ...process.env, TMPDIR: options.directory, NODE_COMPILE_CACHE: undefined }
  const timed = (args: string[]) => async () => wallMs(args, env)
  const contenders = new Map(Object.entries(commands).map(([name, args]) => [name, timed(args)]))
  await runRounds(contenders, 1)
  const figures = await runRounds(contenders, rounds)
  const of = (name: keyof typeof commands) => figures.get(name) ?? []
  const pair = (left: number[], right: number[]) => `${ms(median(left))} : ${ms(median(right))}`
  return [
    atMost(
      'bundle : node -e 0',
      3,
      ratioOf(of('bundle'), of('bare')),
      pair(of('bundle'), of('bare')),
    ),
    atMost(
      'sources, warm compile cache : bundle',
      1.3,
      ratioOf(of('sources'), of('bundle')),
      pair(of('sources'), of('bundle')),
    ),
  ]
}

const wallMs = (args: string[], env: NodeJS.ProcessEnv): number => {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with code ${status}`)
  return performance.now() - began
}

const setupProblem = (): string | undefined =>
  existsSync(join(root, recording)) ? bundleProblem() : `${recording} does not exist`
