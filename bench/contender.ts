import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job, Result } from './contenders/job.ts'
import { writeInput } from './inputs/file.ts'
import { tinyDeltas } from './inputs/tiny.ts'
import type { Setting } from './setting.ts'

/** Who takes part: each a program of its own in `contenders/`. */
export const contenders = {
  sluice: 'Sluice',
  readline: 'readline + JSON.parse',
  'readline-events': 'the same events by readline',
  scan: 'newline scan',
} as const
export type ContenderName = keyof typeof contenders

/** In the order of the first round. */
export const contenderNames: ContenderName[] = ['sluice', 'readline', 'readline-events', 'scan']

/** Starts a contender in a fresh process and waits for its figures. */
export const runContender = async (
  name: ContenderName,
  job: Job,
  { directory, signal }: Setting,
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
  if (code !== 0) throw new Error(`${name} ended with ${code} on ${job.file}`)
  return JSON.parse(printed)
}

/** Fills the compile cache, so that no contender’s figures hold the work of stripping types. */
export const warmUp = async (setting: Setting): Promise<void> => {
  const file = join(setting.directory, 'warm-up')
  writeInput(file, tinyDeltas, 0.01)
  for (const name of contenderNames)
    await runContender(name, { agent: 'pi', file, transport: 'child', passes: 1 }, setting)
}
