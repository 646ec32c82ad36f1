// Reads a long session from its start: in pages as a server does, row by row, or from a file.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteLog } from '../../src/log/index.ts'
import { type Figures, measure, printFigures, readJob } from './job.ts'

const job = readJob()
let chars = 0

const pages = async (): Promise<Figures> => {
  const log = await openSqliteLog(job.directory)
  const figures = await measure(async () => {
    for await (const { texts } of log.readText('long', 0))
      for (const text of texts) chars += text.length
  })
  await log.close()
  return figures
}

const rows = (): Promise<Figures> => {
  const database = new DatabaseSync(join(job.directory, 'sluice.db'))
  const select = database.prepare(
    'SELECT seq, text FROM events WHERE session = 1 AND seq > 0 ORDER BY seq',
  )
  return measure(async () => {
    for (const row of select.iterate()) chars += String(row.text).length
  })
}

const file = (): Promise<Figures> =>
  measure(async () => {
    let rest = ''
    for await (const chunk of createReadStream(join(job.directory, 'lines'), 'utf8')) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) chars += line.length
    }
  })

/** How much memory it takes to open the log and read a little, and to read all of it. */
const memory = async (): Promise<Figures> => {
  const mb = () => process.memoryUsage.rss() / 1e6
  const before = mb()
  const log = await openSqliteLog(job.directory)
  for await (const event of log.read('long', 0, 100)) chars += event.seq
  const opened = mb()
  for await (const event of log.read('long', 0)) chars += event.seq
  await log.close()
  return { openedMb: opened - before, peakMb: process.resourceUsage().maxRSS / 1000 - before }
}

const contenders = { pages, rows, file, memory }
const { contender } = job
if (!(contender in contenders)) throw new Error(`There is no contender ${contender}.`)
const run = Object.entries(contenders).find(([name]) => name === contender)?.[1] ?? pages
printFigures({ ...(await run()), chars })
