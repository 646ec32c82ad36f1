import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '../../shared/reason.ts'
import type { Log, SessionFilter } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import type { SessionRecord } from '../types.ts'
import { createApprovalStore } from './approvals.ts'
import { createAuditStore } from './audit.ts'
import { createBlobStore } from './blobs.ts'
import { createCommandStore } from './commands.ts'
import { createSqliteContext, type SqliteContext, type SqliteOptions } from './context.ts'
import { createEventStore } from './events.ts'
import { createKeyStore } from './keys.ts'
import { createLedgerStore } from './ledger.ts'
import { lockDirectory } from './lock.ts'
import { migrate, schemaVersion } from './migrations.ts'
import { createProjectStore } from './projects.ts'
import { createPurge } from './purge.ts'
import { createRecordStore } from './record-store.ts'
import { removeReserve } from './reserve-file.ts'
import { rewriteWal } from './rewrite-wal.ts'
import { createSessionQueries } from './session-queries.ts'
import { createSessionStore } from './sessions.ts'
import { createSnapshotStore } from './snapshots.ts'
import { createSpaceMeter } from './space.ts'
import { isFullError } from './storage-error.ts'

/**
 * Opens the log in a data directory, which is created if it does not exist. Throws `locked` when
 * another log has the directory open, `newer_schema` when a newer version of Sluice wrote it, and
 * `unusable_directory` when it cannot be read or written.
 */
export const openSqliteLog = async (
  directory: string,
  options: SqliteOptions = {},
): Promise<Log> => {
  try {
    return openIn(directory, options)
  } catch (cause) {
    // Even opening takes some space, for example for the index of the WAL.
    if (isFull(cause) && removeReserve(directory)) return openIn(directory, options)
    throw cause
  }
}

const openIn = (directory: string, options: SqliteOptions): Log => {
  let unlock = () => {}
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    unlock = lockDirectory(directory, openPrivate)
    const file = databaseFile(directory)
    return createLog(createSqliteContext(openDatabase(file), file, options), file, unlock)
  } catch (cause) {
    unlock()
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  }
}

const isFull = (cause: unknown): boolean =>
  cause instanceof LogFault && cause.code === 'unusable_directory' && isFullError(cause.cause)

/**
 * Lists the sessions of a data directory, newest first, without locking it: another process may have
 * it open or open it meanwhile. Throws `newer_schema` or `unusable_directory`.
 */
export const listSqliteSessions = async (
  directory: string,
  filter: SessionFilter = {},
): Promise<SessionRecord[]> => {
  const file = databaseFile(directory)
  if (!existsSync(file)) return []
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    return schemaVersion(database) === 0 ? [] : createSessionQueries(database).list(filter)
  } catch (cause) {
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  } finally {
    database?.close()
  }
}

const databaseFile = (directory: string): string => join(directory, 'sluice.db')

const unusableDirectory = (directory: string, cause: unknown): LogFault => {
  const message = `The data directory ${directory} cannot be used: ${reasonOf(cause)}`
  return new LogFault('unusable_directory', message, { cause })
}

const createLog = (context: SqliteContext, file: string, unlock: () => void): Log => {
  const purge = createPurge(context)
  for (const session of purge.unfinished()) void purge.deleteEvents(session)

  const close = async (): Promise<void> => {
    await context.close()
    unlock()
  }
  let closed: Promise<void> | undefined
  const measure = createSpaceMeter(context.database, file)

  return {
    file,
    async space() {
      context.ensureOpen()
      return measure()
    },
    ...createEventStore(context),
    status: context.disk.status,
    checkStatus: context.disk.checkStatus,
    onStatus: context.disk.onStatus,
    sessions: createSessionStore(context, purge),
    blobs: createBlobStore(context),
    approvals: createApprovalStore(context),
    commands: createCommandStore(context),
    ledger: createLedgerStore(context),
    snapshots: createSnapshotStore(context),
    projects: createProjectStore(context),
    keys: createKeyStore(context),
    audit: createAuditStore(context),
    browsers: createRecordStore(context, 'browser', 'browsers'),
    passkeys: createRecordStore(context, 'passkey', 'passkeys'),
    settings: createRecordStore(context, 'setting', 'settings'),
    trust: createRecordStore(context, 'trust', 'trust'),
    close() {
      closed ??= close()
      return closed
    },
  }
}

const openDatabase = (file: string): DatabaseSync => {
  rewriteWal(`${file}-wal`)
  const database = openPrivate(file)
  try {
    // NORMAL even where writes must survive a power cut: `wal-file.ts` flushes those to the disk.
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

/** Opens a database that only its owner may read. SQLite gives the files beside it the same mode. */
const openPrivate = (file: string): DatabaseSync => {
  // Never opens an existing file itself: closing the handle would release SQLite’s locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(path)) chmodSync(path, 0o600) // an older file may be readable by others
  return new DatabaseSync(file)
}
