import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job, Result } from './contenders/job.ts'
import { writeInput } from './inputs/file.ts'
import { tinyDeltas } from './inputs/tiny.ts'
import type { BenchOptions } from './part.ts'

/** The contenders. Each is a program in `contenders/`. */
export const contenders = {
  sluice: 'Sluice',
  readline: 'readline + JSON.parse',
  'readline-events': 'the same events by readline',
  scan: 'newline scan',
} as const
export type ContenderName = keyof typeof contenders

/** The order of the first round. */
export const contenderNames: ContenderName[] = ['sluice', 'readline', 'readline-events', 'scan']

/** Runs a contender in a new process and returns its figures. */
export const runContender = async (
  name: ContenderName,
  job: Job,
  { directory, signal }: BenchOptions,
): Promise<Result> => {
  const program = fileURLToPath(new URL(`contenders/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
    signal,
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name} exited with code ${code} for ${job.file}`)
  return JSON.parse(printed)
}

/** Fills the compile cache, so that no figure includes the time for stripping types. */
export const warmUp = async (options: BenchOptions): Promise<void> => {
  const file = join(options.directory, 'warm-up')
  writeInput(file, tinyDeltas, 0.01)
  for (const name of contenderNames)
    await runContender(name, { agent: 'pi', file, transport: 'child', passes: 1 }, options)
}
