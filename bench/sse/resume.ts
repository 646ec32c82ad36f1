// Sends a long session to one reader after another, or only reads its rows without sending them.
import { createServer } from 'node:http'
import { openSqliteLog } from '../../src/log/index.ts'
import { printFigures, readJob } from './job.ts'
import { listen } from './load-progress.ts'
import { openStreams } from './open-streams.ts'

const job = readJob()
const log = await openSqliteLog(job.directory ?? '', { synchronous: 'NORMAL' })
const { server } = await openStreams(log)
const rows = createServer(async (_, response) => {
  let chars = 0
  for await (const { texts } of log.readText('s', 0)) for (const text of texts) chars += text.length
  response.writeHead(200, { Connection: 'close' }).end(`${chars}`)
})
const progress = await listen(process.argv[3] === 'rows' ? rows : server, job.events)
await progress.times(job.warmUp)
const before = process.cpuUsage()
await progress.times(job.clients)
const { user, system } = process.cpuUsage(before)
printFigures({ cpuMs: (user + system) / 1000 })
process.exit()
