import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createCount } from './chars-in-lines.ts'
import { chunksOf, type Found, type Job, runJob } from './job.ts'

/** What most readers do: `readline` for the lines, `JSON.parse` for each of them. */
const read = async (job: Job, input: Readable): Promise<Found> => {
  const count = createCount(job.agent)
  const reader = createInterface({ input, crlfDelay: Infinity })
  let bytes = 0
  let lines = 0
  let chars = 0
  input.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  reader.on('line', (line) => {
    if (line === '') return
    lines += 1
    chars += count(line)
  })
  await once(reader, 'close')
  return { bytes, lines, chars }
}

const fromMemory = (bytes: Buffer): Readable => {
  const chunks = chunksOf(bytes)
  return new Readable({
    read() {
      const { done, value } = chunks.next()
      this.push(done ? null : value)
    },
  })
}

await runJob(async (job) => {
  if (job.transport === 'child')
    return () =>
      read(job, spawn('cat', [job.file], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout)
  const bytes = await readFile(job.file)
  return () => read(job, fromMemory(bytes))
})
