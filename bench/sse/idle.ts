// Measures the memory of a connection on which nothing is sent. Run with --expose-gc.
import { createServer } from 'node:http'
import { printFigures, readJob } from './job.ts'
import { listen } from './load-progress.ts'
import { openStreams } from './open-streams.ts'

const job = readJob()
const { streams, server } = await openStreams()
const bare = createServer((_, response) => void response.writeHead(200).write(':\n\n'))
const progress = await listen(process.argv[3] === 'bare' ? bare : server, 1)

const rss = async (): Promise<number> => {
  for (let times = 0; times < 4; times += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage.rss()
}
// Some clients come and go first, so that the growth is caused by the clients after them alone.
await progress.times(1)
while (streams.figures().clients > 0) await new Promise((resolve) => setImmediate(resolve))
const before = await rss()
process.stdout.write('next\n')
await progress.times(2)
const after = await rss()
printFigures({ kibEach: (after - before) / 1024 / job.clients, clients: streams.figures().clients })
process.exit()
