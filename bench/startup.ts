import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteLog } from '../src/log/index.ts'
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
  help: ['bin/sluice.js', 'chat', '--help'],
  verbs: ['bin/sluice.js', '__complete', '--', 'ru'],
}

/** How many sessions are in the log that Tab looks into. */
const sessionCount = 1000

/** Measures the time from the start of the process to its end: what a person waits for. */
export const runStartup = async (options: BenchOptions): Promise<Row[]> => {
  const rounds = options.rounds(15)
  printTitle('startup', `sluice ${decode.join(' ')}, help, Tab; ${rounds} rounds, wall clock`)
  const problem = setupProblem()
  if (problem !== undefined) return [skipped('start-up', problem)]
  // A compile cache of this run’s own, filled by a first round that is not measured.
  const env = { ...process.env, TMPDIR: options.directory, NODE_COMPILE_CACHE: undefined }
  const timed = (args: string[]) => async () => wallMs(args, env)
  const data = await logWithSessions(options.directory)
  const sessions = ['bin/sluice.js', '__complete', '--', 'attach', '--data', data, '']
  const contenders = new Map(
    Object.entries({ ...commands, sessions }).map(([name, args]) => [name, timed(args)]),
  )
  await runRounds(contenders, 1)
  const figures = await runRounds(contenders, rounds)
  const row = (name: string, goal: number, [left, right]: [string, string]): Row => {
    const [over, under] = [figures.get(left) ?? [], figures.get(right) ?? []]
    const details = `${ms(median(over))} : ${ms(median(under))}`
    return atMost(name, goal, ratioOf(over, under), details)
  }
  return [
    row('bundle : node -e 0', 3, ['bundle', 'bare']),
    row('sources, warm compile cache : bundle', 1.3, ['sources', 'bundle']),
    row('--help of a verb : node -e 0', 2.5, ['help', 'bare']),
    row('completion of a verb : node -e 0', 2.5, ['verbs', 'bare']),
    row(`completion of ${sessionCount} sessions : node -e 0`, 3, ['sessions', 'bare']),
  ]
}

const logWithSessions = async (directory: string): Promise<string> => {
  const data = join(directory, 'sessions')
  const log = await openSqliteLog(data)
  const record = {
    agent: 'pi',
    cwd: '/project',
    state: 'idle',
    createdAt: 1,
    updatedAt: 1,
  } as const
  for (let index = 0; index < sessionCount; index += 1)
    await log.sessions.create({ ...record, id: randomUUID(), title: `Session ${index}` })
  await log.close()
  return data
}

const wallMs = (args: string[], env: NodeJS.ProcessEnv): number => {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with code ${status}`)
  return performance.now() - began
}

const setupProblem = (): string | undefined =>
  existsSync(join(root, recording)) ? bundleProblem() : `${recording} does not exist`
