// Sluice’s streams with their log, while nobody reads; then everybody reads on.
import { setImmediate as turn } from 'node:timers/promises'
import { openSqliteLog } from '../../src/log/index.ts'
import { readJob, tell } from './job.ts'
import { listen } from './listen.ts'
import { openStreams } from './open-streams.ts'
import { eventOf } from './produce.ts'

const job = readJob()
const { streams, server, log } = await openStreams(
  await openSqliteLog(job.directory ?? '', { synchronous: 'NORMAL' }),
)
const heard = await listen(server, job.events)
await heard.until(0)

const rss = () => process.memoryUsage.rss()
const publish = async (from: number, to: number): Promise<void> => {
  for (let seq = from; seq <= to; seq += job.perTurn) {
    const events = Array.from({ length: job.perTurn }, (_, index) => eventOf(seq + index))
    await log.append('s', events)
    for (const event of events) streams.publish(event)
    await turn()
    highest = Math.max(highest, rss())
  }
}

let highest = 0
await publish(1, job.warmUp) // what the first events cost is the compiler’s
const [before, cpuBefore] = [rss(), process.cpuUsage()]
highest = before
await publish(job.warmUp + 1, job.events)
const { user, system } = process.cpuUsage(cpuBefore)
const { behind, cut } = streams.figures()
process.stdout.write('passed\n')
await heard.until(job.events)
tell({
  grownMb: (highest - before) / 1e6,
  cpuMs: (user + system) / 1000,
  stalled: behind,
  cut,
})
process.exit()
