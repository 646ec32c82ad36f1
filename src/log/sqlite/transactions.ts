import type { LogFault } from '../log-fault.ts'
import { type Database, rollBack } from './database.ts'
import { flushFault, stateAfter, writeFault } from './storage-error.ts'
import type { Write } from './write.ts'

/** Brings writes into the database and onto the disk. */
export interface Transactions {
  /** Commits writes in one transaction, and settles them when it is durable. */
  run(writes: readonly Write[]): void
  /** The flush in progress. Until it is done, another transaction could not be durable sooner. */
  flushing(): Promise<void> | undefined
  /** Writes nothing from now on: a flush has failed. */
  fail(cause: unknown): void
}

export interface TransactionHooks {
  /** A transaction was committed; it wrote about so many bytes. */
  onCommit(bytes: number): void
  /** A transaction was rolled back: what its writes have cached is no longer true. */
  onRollback(): void
  /**
   * The database failed a transaction, or a flush failed. Returns whether there is more room now, so
   * that the transaction may be tried again.
   */
  onError?(cause: unknown, fault: LogFault): boolean
  /** Resolves when everything committed is on the disk. Without it, a commit counts as durable. */
  flush?: (() => Promise<void>) | undefined
}

export const createTransactions = (
  database: Database,
  { onCommit, onRollback, onError, flush }: TransactionHooks,
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
    if (broken) return rejectAll(writes, broken)
    try {
      begin.run()
      for (const write of writes) write.attempt()
      commit.run()
    } catch (cause) {
      onRollback()
      rollBack(database)
      if (stateAfter(cause) === 'failed') fail(cause)
      else if (onError?.(cause, writeFault(cause))) return commitAll(writes)
      if (writes.length > 1) return writes.flatMap((write) => commitAll([write]))
      return rejectAll(writes, writeFault(cause))
    }
    onCommit(writes.reduce((sum, write) => sum + write.bytes, 0))
    return writes
  }

  const fail = (cause: unknown): LogFault => {
    broken ??= flushFault(cause)
    onError?.(cause, broken)
    return broken
  }

  const settleWhenFlushed = (written: readonly Write[], flushed: Promise<void>): void => {
    flushing = flushed
      .then(
        () => settleAll(written),
        (cause: unknown) => {
          rejectAll(written, fail(cause))
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
    fail: (cause) => void fail(cause),
  }
}

const settleAll = (written: readonly Write[]): void => {
  for (const write of written) write.settle()
}

const rejectAll = (writes: readonly Write[], fault: LogFault): [] => {
  for (const write of writes) write.reject(fault)
  return []
}
