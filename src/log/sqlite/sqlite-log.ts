import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { reasonOf } from '../../shared/reason.ts'
import type { Log, SessionFilter } from '../log.ts'
import { closedLog, LogFault } from '../log-fault.ts'
import type { SessionRecord } from '../types.ts'
import { createApprovals } from './approvals.ts'
import { createBlobs } from './blobs.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { SqliteContext } from './context.ts'
import { createDisk } from './disk.ts'
import { createEvents } from './events.ts'
import { createKeys } from './keys.ts'
import { createLedgerStore } from './ledger.ts'
import { lockDirectory } from './lock.ts'
import { migrate, schemaVersion } from './migrations.ts'
import { createProjects } from './projects.ts'
import { createPurge } from './purge.ts'
import { createRecords } from './records.ts'
import { createSessionReads } from './session-reads.ts'
import { createSessionRows } from './session-rows.ts'
import { createSessions } from './sessions.ts'
import { createSnapshots } from './snapshots.ts'
import { createWrites } from './writes.ts'

export interface SqliteOptions {
  /**
   * FULL, the default: what is stored survives a power cut. NORMAL: it survives the death of the
   * process, and is quicker; a power cut may take the last moments.
   */
  synchronous?: 'FULL' | 'NORMAL'
  /** How many 4 KiB pages may be written before the database file is brought up to date. */
  checkpointPages?: number
}

/** Opens the log in a directory, which it makes. One log at a time: a second is refused. */
export const openSqliteLog = async (
  directory: string,
  options: SqliteOptions = {},
): Promise<Log> => {
  let unlock = () => {}
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    unlock = lockDirectory(directory, openPrivate)
    return compose(join(directory, 'sluice.db'), unlock, options)
  } catch (cause) {
    unlock()
    throw cause instanceof LogFault ? cause : unusable(directory, cause)
  }
}

/**
 * The sessions of a directory, just to be looked at: whether or not another process has it, and
 * without a lock that could keep one out.
 */
export const listSqliteSessions = async (
  directory: string,
  filter: SessionFilter = {},
): Promise<SessionRecord[]> => {
  const file = join(directory, 'sluice.db')
  if (!existsSync(file)) return []
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    return schemaVersion(database) === 0 ? [] : createSessionReads(database).list(filter)
  } catch (cause) {
    throw cause instanceof LogFault ? cause : unusable(directory, cause)
  } finally {
    database?.close()
  }
}

const unusable = (directory: string, cause: unknown): LogFault => {
  const message = `The data directory ${directory} cannot be used: ${reasonOf(cause)}`
  return new LogFault('unusable_directory', message, { cause })
}

const compose = (file: string, unlock: () => void, options: SqliteOptions): Log => {
  const { synchronous = 'FULL', checkpointPages = 2000 } = options
  const database = openDatabase(file)
  const disk = createDisk(`${file}-wal`)
  const places = createSessionRows(database)
  const records = createRecords()
  const writes = createWrites(database, records, {
    onCommit: (bytes) => checkpoints.wrote(bytes),
    flush: synchronous === 'FULL' ? disk.flush : undefined,
    onRollback: () => places.forgetAll(),
  })
  const checkpoints = createCheckpoints({
    start: () => new Worker(checkpointThread, { eval: true, workerData: file, execArgv: [] }),
    onBroken: () => database.exec('PRAGMA wal_autocheckpoint = 1000'),
    writes,
    pages: checkpointPages,
  })
  let closed: Promise<void> | undefined
  const ensureOpen = () => {
    if (closed !== undefined) throw closedLog()
  }
  const base: SqliteContext = { database, writes, records, places, ensureOpen }
  const purge = createPurge(base)
  for (const session of purge.left()) void purge.run(session)

  const close = async (): Promise<void> => {
    await writes.close()
    await checkpoints.close() // first: a thread that is still starting must find the database whole
    disk.close()
    database.close()
    unlock()
  }

  return {
    ...createEvents(base),
    sessions: createSessions(base, purge),
    blobs: createBlobs(base),
    approvals: createApprovals(base),
    ledger: createLedgerStore(base),
    snapshots: createSnapshots(base),
    projects: createProjects(base),
    keys: createKeys(base),
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** NORMAL: what each transaction needs beyond that is done without SQLite, see `disk.ts`. */
const openDatabase = (file: string): DatabaseSync => {
  const database = openPrivate(file)
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA busy_timeout = 5000;
      PRAGMA cache_size = -16384;
    `)
    migrate(database)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Opens a database that only its owner may read; what lies beside it is made like it. */
const openPrivate = (file: string): DatabaseSync => {
  // Never one that is there: closing any handle of it would end the locks that we have on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  for (const each of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(each)) chmodSync(each, 0o600) // one from before may be open to others
  return new DatabaseSync(file)
}

/** The whole program of the thread. A text, so that a bundle needs no second file for it. */
const checkpointThread = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(workerData)
  database.exec('PRAGMA busy_timeout = 5000')
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  checkpoint.setReturnArrays(true)
  parentPort.on('message', (message) => {
    if (message === 'checkpoint') return parentPort.postMessage(checkpoint.get())
    database.close()
    parentPort.close()
  })
`
