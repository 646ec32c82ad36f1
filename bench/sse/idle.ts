// What a connection costs that nothing is sent on. Started with --expose-gc.
import { createServer } from 'node:http'
import { readJob, tell } from './job.ts'
import { listen } from './listen.ts'
import { openStreams } from './open-streams.ts'

const job = readJob()
const { streams, server } = await openStreams()
const bare = createServer((_, response) => void response.writeHead(200).write(':\n\n'))
const heard = await listen(process.argv[3] === 'bare' ? bare : server, 1)

const rss = async (): Promise<number> => {
  for (let times = 0; times < 4; times += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage.rss()
}
// A first crowd comes and goes, so that what the second adds is its own.
await heard.times(1)
while (streams.figures().clients > 0) await new Promise((resolve) => setImmediate(resolve))
const before = await rss()
process.stdout.write('next\n')
await heard.times(2)
const after = await rss()
tell({ kibEach: (after - before) / 1024 / job.clients, clients: streams.figures().clients })
process.exit()
