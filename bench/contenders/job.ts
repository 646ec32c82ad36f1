import type { AgentName } from '../../src/agents/index.ts'

/** What one contender is asked to do, in a process of its own. */
export interface Job {
  agent: AgentName
  file: string
  /** Bytes come from a spawned `cat`, or from memory in chunks of 64 KiB. */
  transport: 'child' | 'memory'
  /** How often it is done in one process; the last one finds everything compiled. */
  passes: number
}

/** What a contender found. What it cannot know is absent. */
export interface Found {
  bytes: number
  /** Lines that are not empty. */
  lines?: number
  /** Characters of all deltas: text, thinking, tool input, tool output. */
  chars?: number
  events?: number
}

/** What it found and what that cost. */
export interface Result extends Found {
  /** Of the first pass, in a process that has done nothing yet. */
  cpuMs: number
  /** Of the last pass. */
  warmCpuMs: number
  peakRssMb: number
}

const chunkSize = 64 * 1024

/** Runs the job of the command line, and prints what it took: one line of JSON. */
export const runJob = async (work: (job: Job) => Promise<() => Promise<Found>>): Promise<void> => {
  const job: Job = JSON.parse(process.argv[2] ?? '')
  const pass = async (): Promise<Result> => {
    // Files are read before the clock starts.
    const go = await work(job)
    const before = process.cpuUsage()
    const found = await go()
    const { user, system } = process.cpuUsage(before)
    const cpuMs = (user + system) / 1000
    return {
      ...found,
      cpuMs,
      warmCpuMs: cpuMs,
      peakRssMb: process.resourceUsage().maxRSS / 1024,
    }
  }
  const result = await pass()
  for (let at = 1; at < job.passes; at += 1) result.warmCpuMs = (await pass()).cpuMs
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

/** The bytes as a transport would cut them. */
export const chunksOf = function* (bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize)
}
