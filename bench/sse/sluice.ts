// Sluice’s streams, without a log behind them: what fan-out alone costs.
import { readJob } from './job.ts'
import { openFeeds } from './open-feeds.ts'
import { eventOf, produce } from './produce.ts'

const { feeds, server } = await openFeeds()
await produce(server, readJob(), (first, count) => {
  for (let seq = first; seq < first + count; seq += 1) feeds.publish(eventOf(seq))
})
await feeds.close()
process.exit()
