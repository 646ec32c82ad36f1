// Appends events until it is killed. It prints which seqs it has appended, and which are stored.
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { events } from '../samples.ts'

process.stdout.on('error', () => process.exit(1)) // the reader is gone
const [directory = '', url = '', tenant = ''] = process.argv.slice(2)
const log = await openJetStreamLog(directory, { servers: [url], tenant })
const print = (...fields: (string | number)[]) => void process.stdout.write(`${fields.join(' ')}\n`)

for (let next = 1; ; next += 5) {
  for (const id of ['a', 'b']) {
    print('appended', id, next + 4)
    void log.queue?.append(id, events(id, next, 5)).then(() => print('stored', id, next + 4))
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
}
