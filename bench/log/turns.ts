// Stores events as fast as the log takes them, and watches how long the event loop’s turns are.
// `thread` is the log as it is, `never` the same without checkpoints, `main` a plain SQLite that
// does them where it writes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteLog } from '../../src/log/index.ts'
import { recordOf, sessionIds, type Turn, turnsOf } from './events.ts'
import { readJob, tell } from './job.ts'

const job = readJob()
/** A turn in which nothing was written is shorter. */
const idleMs = 0.05

const openLog = async (pages: number) => {
  const { synchronous } = job
  const log = await openSqliteLog(job.directory, { synchronous, checkpointPages: pages })
  for (const id of sessionIds) await log.sessions.create(recordOf(id))
  return async (turn: Turn): Promise<void> => {
    await Promise.all([...turn].map(([id, events]) => log.append(id, events)))
  }
}

const openPlain = () => {
  const database = new DatabaseSync(join(job.directory, 'plain.db'))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${job.synchronous};
    CREATE TABLE events (session TEXT, seq INTEGER, text TEXT);
    CREATE UNIQUE INDEX events_in_order ON events (session, seq)`)
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
  return (turn: Turn): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      database.exec('BEGIN IMMEDIATE')
      for (const [id, events] of turn)
        for (const event of events) insert.run(id, event.seq, JSON.stringify(event))
      database.exec('COMMIT')
      resolve()
    })
    return promise
  }
}

const openOf: Record<string, () => Promise<(turn: Turn) => Promise<void>>> = {
  thread: () => openLog(2000),
  never: () => openLog(Number.POSITIVE_INFINITY),
  main: async () => openPlain(),
}
const store = await openOf[job.contender]?.()
if (!store) throw new Error(`no contender ${job.contender}`)

/** What others on this machine took from this thread so far, in ms; not known everywhere. */
const waitedMs = (): number => {
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1')
    return Number(stat.split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

const lengths: number[] = []
let last = performance.now() - waitedMs()
const watch = () => {
  const now = performance.now() - waitedMs()
  if (now - last > idleMs) lengths.push(now - last)
  last = now
  watching = setImmediate(watch)
}
let watching = setImmediate(watch)
for (const turn of turnsOf(job.count, job.size)) await store(turn)
clearImmediate(watching)

const sorted = lengths.slice(500).sort((left, right) => left - right) // the first ones warm up
const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
tell({ median: at(0.5), p99: at(0.99), p999: at(0.999), longest: at(1) })
process.exit() // what is still open is removed with the directory
