// Stores events as fast as the log takes them, and watches for how long each transaction keeps the
// event loop, time that others had the processor not counted, and how long it takes until its events
// are kept. `thread` is the log as it is, `never` the same without checkpoints, `main` a plain SQLite
// that does them where it writes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteLog } from '../../src/log/index.ts'
import { recordOf, sessionIds, type Turn, turnsOf } from './events.ts'
import { readJob, tell } from './job.ts'

const job = readJob()
const stalls: number[] = []
const commits: number[] = []

/** What others on this machine took from this thread so far, in ms; not known everywhere. */
const waitedMs = (): number => {
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1')
    return Number(stat.split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

let began = 0
let waited = 0
const begin = () => {
  waited = waitedMs()
  began = performance.now()
}
const end = () => {
  const wall = performance.now() - began
  stalls.push(wall - (waitedMs() - waited))
}

/** Every transaction of every database in this process is watched, from its first word to its last. */
const watch = (): void => {
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    const run = statement.run.bind(statement)
    if (sql === 'BEGIN IMMEDIATE')
      statement.run = () => {
        begin()
        return run()
      }
    if (sql === 'COMMIT')
      statement.run = () => {
        const changes = run()
        end()
        return changes
      }
    return statement
  }
}

type Store = (turn: Turn) => Promise<void>

const openLog = async (pages: number): Promise<Store> => {
  watch()
  const { synchronous } = job
  const log = await openSqliteLog(job.directory, { synchronous, checkpointPages: pages })
  for (const id of sessionIds) await log.sessions.create(recordOf(id))
  return async (turn) => {
    await Promise.all([...turn].map(([id, events]) => log.append(id, events)))
  }
}

const openPlain = (): Store => {
  watch()
  const database = new DatabaseSync(join(job.directory, 'plain.db'))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${job.synchronous};
    CREATE TABLE events (session TEXT, seq INTEGER, text TEXT);
    CREATE UNIQUE INDEX events_in_order ON events (session, seq)`)
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
  const start = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  return async (turn) => {
    await new Promise(setImmediate)
    start.run()
    for (const [id, events] of turn)
      for (const event of events) insert.run(id, event.seq, JSON.stringify(event))
    commit.run()
  }
}

const openOf: Record<string, () => Promise<Store>> = {
  thread: () => openLog(2000),
  never: () => openLog(Number.POSITIVE_INFINITY),
  main: async () => openPlain(),
}
const store = await openOf[job.contender]?.()
if (!store) throw new Error(`no contender ${job.contender}`)
for (const turn of turnsOf(job.count, job.size)) {
  await store(turn)
  commits.push(performance.now() - began)
}

/** The value below which a part of them lies; the first ones warm up. */
const at = (lengths: readonly number[], part: number) => {
  const sorted = lengths.slice(500).sort((left, right) => left - right)
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}
tell({
  median: at(stalls, 0.5),
  p99: at(stalls, 0.99),
  p999: at(stalls, 0.999),
  longest: at(stalls, 1),
  commit: at(commits, 0.5),
})
process.exit() // what is still open is removed with the directory
