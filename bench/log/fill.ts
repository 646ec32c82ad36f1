// Fills a log with one long session, and a file with the same events as lines.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteLog } from '../../src/log/index.ts'
import { eventOf, recordOf } from './events.ts'
import { printFigures, readJob } from './job.ts'

const { directory, count, size } = readJob()
const log = await openSqliteLog(directory, { synchronous: 'NORMAL' })
await log.sessions.create(recordOf('long'))
for (let seq = 1; seq <= count; seq += size) {
  const events = Array.from({ length: size }, (_, index) => eventOf('long', seq + index))
  appendFileSync(
    join(directory, 'lines'),
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  )
  await log.append('long', events)
}
await log.close()
printFigures({ count })
