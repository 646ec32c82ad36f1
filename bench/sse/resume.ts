// Gives a long session again and again from its start: as a stream, or as rows to nobody.
import { openSqliteLog } from '../../src/log/index.ts'
import { readJob, tell } from './job.ts'
import { listen } from './listen.ts'
import { openFeeds } from './open-feeds.ts'

const job = readJob()
const log = await openSqliteLog(job.directory ?? '', { synchronous: 'NORMAL' })
const { server } = await openFeeds(log)
const heard = await listen(server, job.events)

/** `count` times everything, by whoever does it. */
const work: Record<string, (count: number) => Promise<void>> = {
  stream: (count) => heard.times(count),
  async rows() {
    let chars = 0
    for (let times = 0; times < job.clients; times += 1)
      for await (const { texts } of log.readText('s', 0))
        for (const text of texts) chars += text.length
    if (chars === 0) throw new Error('there was nothing to read')
  },
}
const contender = work[process.argv[3] ?? '']
if (!contender) throw new Error(`no contender ${process.argv[3]}`)
await contender(job.clients)
const before = process.cpuUsage()
await contender(job.clients * 2)
const { user, system } = process.cpuUsage(before)
tell({ cpuMs: (user + system) / 1000 })
process.exit()
