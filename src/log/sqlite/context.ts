import { closedLog } from '../log-fault.ts'
import { startCheckpointWorker } from './checkpoint-thread.ts'
import type { Database } from './database.ts'
import { createRecordSerializer, type RecordSerializer } from './record-serializer.ts'
import { createSessionRows, type SessionRows } from './session-rows.ts'
import { createStatusHolder, type StatusHolder } from './status.ts'
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
}

/** What the stores of a SQLite log share. */
export interface SqliteContext {
  readonly database: Database
  readonly writes: Writes
  readonly serializer: RecordSerializer
  readonly sessionRows: SessionRows
  readonly health: StatusHolder
  /** Throws `closed` when the log is closed. For reads: `writes` checks this itself. */
  ensureOpen(): void
  /** Finishes the writes and closes the database. */
  close(): Promise<void>
}

/** Prepares an open database, which lies in `file`, for the stores. */
export const createSqliteContext = (
  database: Database,
  file: string,
  { synchronous = 'FULL', checkpointPages = 2000 }: SqliteOptions,
): SqliteContext => {
  const walFile = createWalFile(`${file}-wal`)
  const sessionRows = createSessionRows(database)
  const serializer = createRecordSerializer()
  const health = createStatusHolder()
  const writes = createWrites(database, serializer, {
    onCommit: (bytes) => checkpoints.onCommit(bytes),
    onRollback: () => sessionRows.clear(),
    onFlushFailed: ({ message }) => health.set('failed', message),
    flush: synchronous === 'FULL' ? walFile.flush : undefined,
  })
  const checkpoints = createWalCheckpoints({
    startWorker: () => startCheckpointWorker(file),
    onFailed: () => database.exec('PRAGMA wal_autocheckpoint = 1000'),
    writes,
    pages: checkpointPages,
  })
  let isClosed = false
  return {
    database,
    writes,
    serializer,
    sessionRows,
    health,
    ensureOpen() {
      if (isClosed) throw closedLog()
    },
    async close() {
      isClosed = true
      await writes.close()
      await checkpoints.close() // before the database: a thread that is still starting opens it too
      walFile.close()
      database.close()
    },
  }
}
