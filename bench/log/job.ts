import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchOptions } from '../part.ts'

/** The task of one program of the log’s benchmarks. */
export interface Job {
  /** A directory of its own, or one that was filled for it. */
  directory: string
  contender: string
  count: number
  size: number
  synchronous: 'FULL' | 'NORMAL'
  /** Runs the program of another checkout of Sluice. */
  checkout?: string | undefined
}

/** What a program has measured, by name. */
export type Figures = Record<string, number>

/** Runs a program of this folder in a new process. */
export const runJob = async (
  program: string,
  job: Omit<Job, 'directory'> & { directory?: string },
  options: BenchOptions,
): Promise<Figures> => {
  const own = mkdtempSync(join(options.directory, 'log-'))
  try {
    return await start(program, { directory: own, ...job }, options)
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

const start = async (program: string, job: Job, { signal }: BenchOptions): Promise<Figures> => {
  const { checkout } = job
  const file =
    checkout === undefined
      ? fileURLToPath(new URL(`${program}.ts`, import.meta.url))
      : join(checkout, 'bench', 'log', `${program}.ts`)
  const child = spawn(process.execPath, [file, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} exited with code ${code}: ${JSON.stringify(job)}`)
  return JSON.parse(printed)
}

/** The job of this process. */
export const readJob = (): Job => JSON.parse(process.argv[2] ?? '')

/** Prints the figures for the process that started this one. */
export const printFigures = (figures: Figures): void =>
  void process.stdout.write(JSON.stringify(figures))

/** Measures the CPU time of all threads and the elapsed time, in ms. */
export const measure = async (work: () => Promise<void>): Promise<Figures> => {
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  await work()
  const wallMs = performance.now() - began
  const { user, system } = process.cpuUsage(cpuBefore)
  return { cpuMs: (user + system) / 1000, wallMs }
}
