import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Job, Result } from './contenders/job.ts'

/** Who takes part, each a program of its own in `contenders/`. */
export type ContenderName = 'sluice' | 'readline' | 'scan'

/** Starts a contender in a fresh process and waits for its figures. */
export const runContender = async (
  name: ContenderName,
  job: Job,
  signal: AbortSignal,
): Promise<Result> => {
  const program = fileURLToPath(new URL(`contenders/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
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
