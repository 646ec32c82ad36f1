/** The task of one contender, which has a process of its own. */
export interface Job {
  agent: string
  file: string
  /** Bytes come from a spawned `cat`, or from memory in chunks of 64 KiB. */
  transport: 'child' | 'memory'
  /** How often the input is read in one process. */
  passes: number
}

/** What a contender has counted. Absent fields are those that it cannot count. */
export interface Found {
  bytes: number
  /** Lines that are not empty. */
  lines?: number
  /** Characters in all deltas: text, thinking, tool input, tool output. */
  chars?: number
  events?: number
}

/** The counts, and what they cost. */
export interface Result extends Found {
  /** CPU time of the first pass, in a new process. */
  cpuMs: number
  /** The least CPU time of a later pass: one in which little was compiled. */
  warmCpuMs: number
  peakRssMb: number
}

const chunkSize = 64 * 1024

/** Runs the job on the command line, and prints the result as one line of JSON. */
export const runJob = async (work: (job: Job) => Promise<() => Promise<Found>>): Promise<void> => {
  const job: Job = JSON.parse(process.argv[2] ?? '')
  const pass = async (): Promise<Result> => {
    // The file is read before the measurement starts.
    const readInput = await work(job)
    const before = process.cpuUsage()
    const found = await readInput()
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
  for (let at = 1; at < job.passes; at += 1) {
    const { cpuMs } = await pass()
    result.warmCpuMs = at === 1 ? cpuMs : Math.min(result.warmCpuMs, cpuMs)
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

/** The bytes in chunks of the size that a pipe delivers. */
export const chunksOf = function* (bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize)
}
