import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a program needed, and what it printed. */
export interface Measured {
  cpuMs: number
  wallMs: number
  /** In MB. Undefined for programs that do not say it. */
  peakRssMb: number | undefined
  printed: string
}

export interface Program {
  command: readonly string[]
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  /** The program runs in Node, and its memory is measured. */
  isNode: boolean
}

const reporter = fileURLToPath(new URL('report-memory.js', import.meta.url))

/** Runs a program to its end. The shell counts the CPU time of all its threads and children. */
export const measure = async ({ command, env, signal, isNode }: Program): Promise<Measured> => {
  const memoryFile = join(env.TMPDIR ?? '', 'peak-memory')
  const began = performance.now()
  const child = spawn('sh', ['-c', '"$@" || exit 1; times >&2', 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...env,
      ...(isNode && { NODE_OPTIONS: `--import=${reporter}`, PEAK_MEMORY_FILE: memoryFile }),
    },
    signal,
  })
  const [printed, errors] = [[], []] as [string[], string[]]
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  const [code] = await once(child, 'close')
  const wallMs = performance.now() - began
  if (code !== 0) throw new Error(`${command.join(' ')}: exit code ${code}: ${errors.join('')}`)
  const peakRssMb = isNode ? Number(readFileSync(memoryFile, 'utf8')) / 1024 : undefined
  rmSync(memoryFile, { force: true })
  return { cpuMs: cpuOfChildren(errors.join('')), wallMs, peakRssMb, printed: printed.join('') }
}

/** `times` prints user and system time of the shell, and in its second line those of its children. */
const cpuOfChildren = (text: string): number => {
  const times = [...text.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2)
  return (
    times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0) *
    1000
  )
}
