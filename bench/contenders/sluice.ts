import { readFile } from 'node:fs/promises'
import { type Agent, createStream, loadAgent } from '../../src/agents/index.ts'
import { nodeTextReader } from '../../src/process/node-text-reader.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { charsInEvents } from './chars-in-events.ts'
import { chunksOf, type Found, type Job, runJob } from './job.ts'

/** Sluice: bytes in, events out. */
const createConsumer = (job: Job, agent: Agent) => {
  const stream = createStream(agent, { reader: nodeTextReader })
  let bytes = 0
  let chars = 0
  return {
    push(chunk: Uint8Array) {
      bytes += chunk.length
      chars += charsInEvents(stream.push(chunk))
    },
    end(): Found {
      chars += charsInEvents(stream.end())
      const { lines, events, raw, malformed, oversize, torn } = stream.counts()
      const lost = raw + malformed + oversize + torn
      if (lost > 0) throw new Error(`Sluice did not recognise ${lost} lines of ${job.file}.`)
      return { bytes, lines, chars, events }
    },
  }
}

const fromChild = async (job: Job, agent: Agent): Promise<Found> => {
  const consumer = createConsumer(job, agent)
  const options = { program: 'cat', args: [job.file], cwd: process.cwd(), onChunk: consumer.push }
  const { done } = await startProcess(options)
  await done
  return consumer.end()
}

const fromMemory = (job: Job, agent: Agent, bytes: Buffer): Found => {
  const consumer = createConsumer(job, agent)
  for (const chunk of chunksOf(bytes)) consumer.push(chunk)
  return consumer.end()
}

await runJob(async (job) => {
  const agent = await loadAgent(job.agent)
  if (job.transport === 'child') return () => fromChild(job, agent)
  const bytes = await readFile(job.file)
  return async () => fromMemory(job, agent, bytes)
})
