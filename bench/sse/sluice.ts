// Sluice’s streams without a log, to measure the fan-out alone.
import { readJob } from './job.ts'
import { openStreams } from './open-streams.ts'
import { eventOf, produce } from './produce.ts'

const { streams, server } = await openStreams()
await produce(server, readJob(), (first, count) => {
  for (let seq = first; seq < first + count; seq += 1) streams.publish(eventOf(seq))
})
await streams.close()
process.exit()
