// Appends events as fast as possible. Measures how long each transaction blocks the event loop, without
// the time in which other processes had the CPU, and how long it takes until its events are durable.
// `thread` is the log as it is, `never` the log without checkpoints, `main` plain SQLite, which makes its
// checkpoints on the main thread.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteLog } from '../../src/log/index.ts'
import { recordOf, sessionIds, type Turn, turnsOf } from './events.ts'
import { printFigures, readJob } from './job.ts'

const job = readJob()
const stalls: number[] = []
const commits: number[] = []

/** How long this thread has waited for the CPU, in ms; 0 where the system does not printFigures. */
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

/** Measures every transaction of this process, from BEGIN to COMMIT. */
const measureTransactions = (): void => {
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
  measureTransactions()
  const { synchronous } = job
  const log = await openSqliteLog(job.directory, { synchronous, checkpointPages: pages })
  for (const id of sessionIds) await log.sessions.create(recordOf(id))
  return async (turn) => {
    await Promise.all([...turn].map(([id, events]) => log.append(id, events)))
  }
}

const openPlain = (): Store => {
  measureTransactions()
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

const contenders: Record<string, () => Promise<Store>> = {
  thread: () => openLog(2000),
  never: () => openLog(Number.POSITIVE_INFINITY),
  main: async () => openPlain(),
}
const store = await contenders[job.contender]?.()
if (!store) throw new Error(`There is no contender ${job.contender}.`)
for (const turn of turnsOf(job.count, job.size)) {
  await store(turn)
  commits.push(performance.now() - began)
}

/** A percentile. The first values are left out, because the code is not compiled yet. */
const percentile = (values: readonly number[], part: number) => {
  const sorted = values.slice(500).sort((left, right) => left - right)
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}
printFigures({
  median: percentile(stalls, 0.5),
  p99: percentile(stalls, 0.99),
  p999: percentile(stalls, 0.999),
  longest: percentile(stalls, 1),
  commit: percentile(commits, 0.5),
})
process.exit() // the log stays open: its directory is deleted anyway
