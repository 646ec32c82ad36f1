// Sluice’s streams with a log, while no client reads. After that all clients continue.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openSqliteLog } from '../../src/log/index.ts'
import { printFigures, readJob } from './job.ts'
import { listen } from './load-progress.ts'
import { openStreams } from './open-streams.ts'
import { eventOf } from './produce.ts'

const job = readJob()
const { streams, server, log } = await openStreams(
  await openSqliteLog(job.directory ?? '', { synchronous: 'NORMAL' }),
)
const progress = await listen(server, job.events)
await progress.until(0)

const rss = () => process.memoryUsage.rss()
const publish = async (from: number, to: number): Promise<void> => {
  for (let seq = from; seq <= to; seq += job.perTurn) {
    const events = Array.from({ length: job.perTurn }, (_, index) => eventOf(seq + index))
    await log.append('s', events)
    for (const event of events) streams.publish(event)
    await nextTurn()
    highest = Math.max(highest, rss())
  }
}

let highest = 0
await publish(1, job.warmUp) // until the code is compiled
const [before, cpuBefore] = [rss(), process.cpuUsage()]
highest = before
await publish(job.warmUp + 1, job.events)
const { user, system } = process.cpuUsage(cpuBefore)
const { behind, cut } = streams.figures()
process.stdout.write('passed\n')
await progress.until(job.events)
printFigures({
  grownMb: (highest - before) / 1e6,
  cpuMs: (user + system) / 1000,
  stalled: behind,
  cut,
})
process.exit()
