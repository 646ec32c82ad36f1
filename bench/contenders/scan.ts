import { readFile } from 'node:fs/promises'
import { startProcess } from '../../src/process/spawn.ts'
import { chunksOf, type Found, type Job, runJob } from './job.ts'

const LF = 10

/** The lower bound: finds newlines on the same transport, and does nothing else. */
const createConsumer = () => {
  const found = { bytes: 0 }
  let newlines = 0
  return {
    push(chunk: Uint8Array) {
      found.bytes += chunk.length
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) newlines += 1
    },
    end(): Found {
      if (newlines === 0) throw new Error('The input has no lines.')
      return found
    },
  }
}

const fromChild = async (job: Job): Promise<Found> => {
  const consumer = createConsumer()
  const options = { program: 'cat', args: [job.file], cwd: process.cwd(), onChunk: consumer.push }
  const { done } = await startProcess(options)
  await done
  return consumer.end()
}

await runJob(async (job) => {
  if (job.transport === 'child') return () => fromChild(job)
  const bytes = await readFile(job.file)
  return async () => {
    const consumer = createConsumer()
    for (const chunk of chunksOf(bytes)) consumer.push(chunk)
    return consumer.end()
  }
})
