import { reasonOf } from '../../shared/reason.ts'
import { LogFault } from '../log-fault.ts'
import type { Database } from './database.ts'
import type { Write } from './write.ts'

/** Brings writes into the database and onto the disk. */
export interface Transactions {
  /** Commits writes in one transaction, and settles them when it is durable. */
  run(writes: readonly Write[]): void
  /** The flush in progress. Until it is done, another transaction could not be durable sooner. */
  flushing(): Promise<void> | undefined
}

export interface TransactionHooks {
  /** A transaction was committed; it wrote about so many bytes. */
  onCommit(bytes: number): void
  /** A transaction was rolled back: what its writes have cached is no longer true. */
  onRollback(): void
  /** A flush has failed: nothing is written any more. */
  onFlushFailed?(fault: LogFault): void
  /** Resolves when everything committed is on the disk. Without it, a commit counts as durable. */
  flush?: (() => Promise<void>) | undefined
}

export const createTransactions = (
  database: Database,
  { onCommit, onRollback, onFlushFailed, flush }: TransactionHooks,
  onFlushed: () => void,
): Transactions => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let flushing: Promise<void> | undefined
  /** Set when a flush has failed. Nobody knows what the disk has lost, so nothing more is written. */
  let broken: LogFault | undefined

  /**
   * Returns the writes that are committed. When the transaction fails, each write gets one of its own,
   * so that only the one at fault is rejected.
   */
  const commitAll = (writes: readonly Write[]): readonly Write[] => {
    try {
      if (broken) throw broken
      begin.run()
      for (const write of writes) write.attempt()
      commit.run()
    } catch (cause) {
      onRollback()
      rollBack(database)
      if (writes.length > 1) return writes.flatMap((write) => commitAll([write]))
      writes[0]?.reject(writeFailed(cause))
      return []
    }
    onCommit(writes.reduce((sum, write) => sum + write.bytes, 0))
    return writes
  }

  const settleWhenFlushed = (written: readonly Write[], flushed: Promise<void>): void => {
    flushing = flushed
      .then(
        () => settleAll(written),
        (cause: unknown) => {
          broken = flushFailed(cause)
          onFlushFailed?.(broken)
          for (const write of written) write.reject(broken)
        },
      )
      .finally(() => {
        flushing = undefined
        onFlushed()
      })
  }

  return {
    run(writes) {
      const written = writes.length === 0 ? writes : commitAll(writes)
      if (written.length === 0) return
      if (flush) settleWhenFlushed(written, flush())
      else settleAll(written)
    },
    flushing: () => flushing,
  }
}

const settleAll = (written: readonly Write[]): void => {
  for (const write of written) write.settle()
}

const rollBack = (database: Database): void => {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled back, or the transaction did not even begin.
  }
}

const writeFailed = (cause: unknown): LogFault => {
  if (cause instanceof LogFault) return cause
  const message = `The log could not be written (${reasonOf(cause)}). Check the free space and the permissions of the data directory.`
  return new LogFault('write_failed', message, { cause })
}

const flushFailed = (cause: unknown): LogFault => {
  const message = `The disk could not store the log (${reasonOf(cause)}). Nothing more is written. Check the disk, then restart Sluice.`
  return new LogFault('log_failed', message, { cause })
}
