import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { chunksOf, type Found, type Job, runJob } from './job.ts'

/** Counts something in the lines that `readline` finds. */
export interface LineCount {
  push(line: string): void
  end(): Pick<Found, 'chars' | 'events'>
}

/** Runs the job of this process on lines found by `readline`. */
export const runByReadline = (
  createCount: (agent: string) => LineCount | Promise<LineCount>,
): Promise<void> =>
  runJob(async (job) => {
    const count = await createCount(job.agent)
    if (job.transport === 'child') return () => read(startCat(job), count)
    const bytes = await readFile(job.file)
    return () => read(fromMemory(bytes), count)
  })

const read = async (input: Readable, count: LineCount): Promise<Found> => {
  const reader = createInterface({ input, crlfDelay: Infinity })
  let bytes = 0
  let lines = 0
  input.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  reader.on('line', (line) => {
    if (line === '') return
    lines += 1
    count.push(line)
  })
  await once(reader, 'close')
  return { bytes, lines, ...count.end() }
}

const startCat = (job: Job): Readable =>
  spawn('cat', [job.file], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout

const fromMemory = (bytes: Buffer): Readable => {
  const chunks = chunksOf(bytes)
  return new Readable({
    read() {
      const { done, value } = chunks.next()
      this.push(done ? null : value)
    },
  })
}
