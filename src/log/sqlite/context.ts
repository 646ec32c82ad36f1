import { createDamageCollector, type Damage, type DamageCollector } from '../damage.ts'
import { closedLog } from '../log-fault.ts'
import { startCheckpointWorker } from './checkpoint-thread.ts'
import { type Database, isCorrupt } from './database.ts'
import { createDiskWatch, type DiskWatch, type MinFree } from './disk-watch.ts'
import { schemaVersion } from './migrations.ts'
import { createRecordSerializer, type RecordSerializer } from './record-serializer.ts'
import { createSessionDamages, knownDamage, type SessionDamages } from './session-damages.ts'
import { createSessionRows, type SessionRows } from './session-rows.ts'
import { checkSmallTables } from './small-tables.ts'
import { stateAfter, writeFault } from './storage-error.ts'
import { createWalCheckpoints } from './wal-checkpoints.ts'
import { createWalFile } from './wal-file.ts'
import { createWrites, type Writes } from './writes.ts'

/** Options of `openSqliteLog`. */
export interface SqliteOptions {
  /**
   * When a write counts as durable. `FULL` (default): when it is on the disk, so that it survives a
   * power cut. `NORMAL`: when it is committed. That is faster and survives a crash of the process, but
   * a power cut may lose the last writes.
   */
  synchronous?: 'FULL' | 'NORMAL'
  /** How many 4 KiB pages may be written before they are moved into the database file. */
  checkpointPages?: number
  /**
   * How much of the disk must stay free; below that, the status is `low_space`. `auto`: 256 MB, or 5 %
   * of a smaller disk. By default, the space is not watched.
   */
  minFree?: MinFree | undefined
}

/** What the stores of a SQLite log share. */
export interface SqliteContext {
  readonly database: Database
  readonly writes: Writes
  readonly serializer: RecordSerializer
  readonly sessionRows: SessionRows
  readonly disk: DiskWatch
  /** How many transactions were committed so far. */
  commits(): number
  /** Makes the files of the database as short as they can be: see `WalCheckpoints`. */
  truncateWal(): Promise<void>
  /** What is damaged. */
  readonly reports: DamageCollector
  readonly damages: SessionDamages
  readonly spendingDamage: SpendingDamage
  /** Throws `closed` when the log is closed. For reads: `writes` checks this itself. */
  ensureOpen(): void
  /** Finishes the writes and closes the database. */
  close(): Promise<void>
}

/** Whether the sums of tokens and cost are damaged. Then they are left as they are: events matter more. */
export interface SpendingDamage {
  isFound: boolean
  /** They were found to be damaged in this transaction, which can run again without them. */
  mustRetry: boolean
}

const damagedSums: Damage = {
  kind: 'table',
  id: 'spending',
  reason: 'The sums of tokens and cost are damaged, so cost reports are incomplete.',
}

const damagedDatabase: Damage = {
  kind: 'table',
  id: 'sluice.db',
  reason: 'A part of the database is damaged, so some writes fail.',
}

/** Prepares an open database, which lies in `file`, for the stores. */
export const createSqliteContext = (
  database: Database,
  file: string,
  { synchronous = 'FULL', checkpointPages = 2000, minFree }: SqliteOptions,
): SqliteContext => {
  const walFile = createWalFile(`${file}-wal`)
  const sessionRows = createSessionRows(database)
  const serializer = createRecordSerializer()
  const spendingDamage: SpendingDamage = { isFound: false, mustRetry: false }
  const writes = createWrites(database, serializer, {
    onCommit(bytes) {
      commits += 1
      checkpoints.onCommit(bytes)
      disk.onCommit(bytes)
    },
    onRollback: () => sessionRows.clear(),
    onError(cause, fault) {
      const { mustRetry } = spendingDamage
      spendingDamage.mustRetry = false
      if (mustRetry) reports.add(damagedSums)
      else if (isCorrupt(cause)) reports.add(damagedDatabase)
      return mustRetry || disk.onError(cause, fault)
    },
    flush: synchronous === 'FULL' ? walFile.flush : undefined,
  })
  const known = knownDamage(database)
  const reports = createDamageCollector([...known.values(), ...checkSmallTables(database)])
  const damages = createSessionDamages(database, { writes, known, reports })
  const checkpoints = createWalCheckpoints({
    startWorker: () => startCheckpointWorker(file),
    onFailed: () => database.exec('PRAGMA wal_autocheckpoint = 1000'),
    onError(cause) {
      if (stateAfter(cause) === 'failed') writes.fail(cause)
      else disk.onError(cause, writeFault(cause))
    },
    writes,
    pages: checkpointPages,
  })
  const disk = createDiskWatch({ file, minFree, tryWrite: () => writes.add(probeOf(database)) })
  let isClosed = false
  let commits = 0
  return {
    database,
    writes,
    serializer,
    sessionRows,
    disk,
    commits: () => commits,
    truncateWal: checkpoints.truncate,
    reports,
    damages,
    spendingDamage,
    ensureOpen() {
      if (isClosed) throw closedLog()
    },
    async close() {
      isClosed = true
      disk.close()
      await writes.close()
      await checkpoints.close() // before the database: a thread that is still starting opens it too
      walFile.close()
      if (disk.status().state === 'failed') neverClosed.push(database)
      else database.close()
    },
  }
}

/**
 * Databases whose flush has failed. To close one would move its WAL into the database file, and the
 * WAL may not be on the disk: a power cut in between would damage the file.
 */
const neverClosed: Database[] = []

/** A write that changes nothing, but is written like any other. */
const probeOf = (database: Database): (() => void) => {
  const version = schemaVersion(database)
  return () => database.exec(`PRAGMA user_version = ${version}`)
}
