import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../../files/make-directory.ts'
import type { Log, SessionFilter } from '../log.ts'
import { LogFault } from '../log-fault.ts'
import type { SessionRecord } from '../types.ts'
import { createApprovalStore } from './approvals.ts'
import { createAuditStore } from './audit.ts'
import { createBlobStore } from './blobs.ts'
import { createCommandStore } from './commands.ts'
import { compactIfSmall } from './compact.ts'
import { createSqliteContext, type SqliteContext, type SqliteOptions } from './context.ts'
import { createEventStore } from './events.ts'
import { createKeyStore } from './keys.ts'
import { createLedgerStore } from './ledger.ts'
import { lockDirectory } from './lock.ts'
import { migrations, schemaVersion } from './migrations.ts'
import { createMovedStore } from './moved.ts'
import { databaseFile, openDatabase, openPrivate, unusableDirectory } from './open-database.ts'
import { createProjectStore } from './projects.ts'
import { createPurge, type Purge } from './purge.ts'
import { createReclaimer, type Reclaimer } from './reclaim.ts'
import { createRecordStore } from './record-store.ts'
import { removeReserve } from './reserve-file.ts'
import { createSessionDamages } from './session-damages.ts'
import { createSessionQueries } from './session-queries.ts'
import { createSessionStore } from './sessions.ts'
import { createSnapshotStore } from './snapshots.ts'
import { createSpaceMeter } from './space.ts'
import { createSpendingStore, createSpendingTable } from './spending.ts'
import { isFullError } from './storage-error.ts'
import { createUnusedBlobs, type UnusedBlobs } from './unused-blobs.ts'

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
    makeDirectory(directory)
    unlock = lockDirectory(directory, openPrivate)
    const file = databaseFile(directory)
    const database = openDatabase(file)
    compactIfSmall(database, file)
    return createLog(createSqliteContext(database, file, options), file, unlock)
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
    const version = schemaVersion(database)
    if (version === 0) return []
    // An older version of Sluice wrote it, and nothing is changed here.
    if (version < migrations.length) return createSessionQueries(database).list(filter)
    return createSessionQueries(database, createSessionDamages(database, {})).list(filter)
  } catch (cause) {
    throw cause instanceof LogFault ? cause : unusableDirectory(directory, cause)
  } finally {
    database?.close()
  }
}

const createLog = (context: SqliteContext, file: string, unlock: () => void): Log => {
  const purge = createPurge(context)
  const reclaimer = createReclaimer(context)
  const unusedBlobs = createUnusedBlobs(context)
  const spendingTable = createSpendingTable(context)
  const { fillAll, ...spending } = createSpendingStore(context, spendingTable)
  void tidyUp(purge, unusedBlobs, reclaimer, fillAll)

  const close = async (): Promise<void> => {
    reclaimer.stop()
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
    ...createEventStore(context, spendingTable),
    damage: context.reports,
    status: context.disk.status,
    checkStatus: context.disk.checkStatus,
    onStatus: context.disk.onStatus,
    sessions: createSessionStore(context, { purge, reclaimer, spending: spendingTable }),
    blobs: createBlobStore(context, unusedBlobs),
    approvals: createApprovalStore(context),
    commands: createCommandStore(context),
    ledger: createLedgerStore(context),
    spending,
    snapshots: createSnapshotStore(context),
    projects: createProjectStore(context),
    keys: createKeyStore(context),
    audit: createAuditStore(context),
    browsers: createRecordStore(context, 'browser', 'browsers'),
    passkeys: createRecordStore(context, 'passkey', 'passkeys'),
    settings: createRecordStore(context, 'setting', 'settings'),
    trust: createRecordStore(context, 'trust', 'trust'),
    loops: createRecordStore(context, 'loop', 'loops'),
    budgets: createRecordStore(context, 'budget', 'budgets'),
    moved: createMovedStore(context),
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** Deletes what the last process has left, gives its space back, and adds up old sessions. */
const tidyUp = async (
  purge: Purge,
  unusedBlobs: UnusedBlobs,
  reclaimer: Reclaimer,
  fillSpending: () => Promise<void>,
): Promise<void> => {
  try {
    for (const session of purge.unfinished()) await purge.deleteRest(session)
    await unusedBlobs.collect()
    reclaimer.start()
    await fillSpending()
  } catch {
    // The log is closed, cannot be written, or is damaged. It works all the same; the next start tries again.
  }
}
