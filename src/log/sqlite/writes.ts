import { reasonOf } from '../../shared/reason.ts'
import { closedLog, LogFault } from '../log-fault.ts'
import type { Database } from './database.ts'
import type { Records } from './records.ts'

/**
 * Takes writes in and does those of one turn of the event loop in one transaction. Where no disk is
 * waited for, the first of a turn are done at once: an event that comes alone is told sooner.
 */
export interface Writes {
  /**
   * Does `work` with the others of this turn, in order, and gives its result once it is durable.
   * A `LogFault` must leave it before it has changed anything. It may be called a second time,
   * when the first transaction failed. `bytes` is about how much it will write. `onDurable` is
   * called before anybody else is told.
   */
  add<Result>(work: () => Result, bytes?: number, onDurable?: () => void): Promise<Result>
  /** The same for work that checks records: it and what comes behind it wait until that can be. */
  addChecked<Result>(work: () => Result, bytes?: number): Promise<Result>
  /** Keeps writes waiting, without holding up anything else. */
  hold(): void
  release(): void
  /** Does what waits and takes nothing more. */
  close(): Promise<void>
}

export interface WriteHooks {
  /** A transaction is written: about so many bytes. */
  onCommit(bytes: number): void
  /** Settles when what is written is on the disk. Absent: nobody waits for that. */
  flush?: (() => Promise<void>) | undefined
  /** A transaction is undone: whatever its works have noted is void. */
  onRollback(): void
}

interface Write {
  attempt(): void
  /** Tells what came of the last attempt, once its transaction is durable. */
  tell(): void
  reject(cause: unknown): void
  bytes: number
  isChecked: boolean
}

/** How much goes into one transaction, so that a flood does not stop the event loop. */
const transactionBytes = 256 * 1024

export const createWrites = (
  database: Database,
  records: Pick<Records, 'isReady' | 'load'>,
  hooks: WriteHooks,
): Writes => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let waiting: Write[] = []
  let scheduled: NodeJS.Immediate | undefined
  let held = false
  let isLoading = false
  let closed = false
  /** Under way. What comes meanwhile waits, since it could not be durable any sooner. */
  let flushing: Promise<void> | undefined
  /** The disk lost what it had taken, and nobody knows how much: nothing more is written. */
  let broken: LogFault | undefined

  /** This turn has had its first writes: what comes later in it waits for its end. */
  let isSpent = false

  const schedule = () => {
    const isKept = held || isLoading || flushing !== undefined
    if (scheduled !== undefined || isKept || waiting.length === 0) return
    scheduled = setImmediate(endTurn)
    if (isSpent || hooks.flush) return
    isSpent = true
    queueMicrotask(writeSome) // with what is asked for in the same breath
  }

  const writeSome = () => {
    if (!held && flushing === undefined && isReady()) settle(transact(takeSome()))
  }

  const endTurn = () => {
    scheduled = undefined
    writeSome()
    schedule()
    isSpent = scheduled !== undefined
  }

  /** False while records can not be checked yet; then it comes back by itself. */
  const isReady = (): boolean => {
    if (records.isReady() || !waiting.some(({ isChecked }) => isChecked)) return true
    isLoading = true
    void records.load().then(() => {
      isLoading = false
      schedule()
    })
    return false
  }

  const takeSome = (): Write[] => {
    const room = countWithin(waiting, transactionBytes)
    const some = waiting.slice(0, room)
    waiting = waiting.slice(room)
    return some
  }

  /**
   * One transaction; where it fails, each write gets its own, so that one hurts no other. Gives those
   * that are in the database.
   */
  const transact = (writes: readonly Write[]): readonly Write[] => {
    if (writes.length === 0) return []
    try {
      if (broken) throw broken
      begin.run()
      for (const write of writes) write.attempt()
      commit.run()
    } catch (cause) {
      rollBack()
      if (writes.length > 1) return writes.flatMap((write) => transact([write]))
      writes[0]?.reject(writeFailed(cause))
      return []
    }
    hooks.onCommit(writes.reduce((sum, write) => sum + write.bytes, 0))
    return writes
  }

  /** Tells of what is written, once it is on the disk. */
  const settle = (written: readonly Write[]): void => {
    if (written.length === 0) return
    if (!hooks.flush) {
      tellAll(written)
      return
    }
    flushing = hooks
      .flush()
      .then(
        () => tellAll(written),
        (cause: unknown) => {
          broken = writeFailed(cause)
          for (const write of written) write.reject(broken)
        },
      )
      .finally(() => {
        flushing = undefined
        schedule()
      })
  }

  const rollBack = () => {
    hooks.onRollback()
    try {
      database.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself, or could not even begin.
    }
  }

  const enter = <Result>(
    work: () => Result,
    { bytes, isChecked, onDurable }: Entry,
  ): Promise<Result> => {
    if (closed) return Promise.reject(closedLog())
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const write: Write = {
      attempt() {
        try {
          const result = work()
          write.tell = () => {
            onDurable?.()
            resolve(result)
          }
        } catch (cause) {
          if (!(cause instanceof LogFault)) throw cause
          write.tell = () => reject(cause)
        }
      },
      tell() {},
      reject,
      bytes,
      isChecked,
    }
    waiting.push(write)
    schedule()
    return promise
  }

  return {
    add: (work, bytes = 0, onDurable) => enter(work, { bytes, isChecked: false, onDurable }),
    addChecked: (work, bytes = 0) => enter(work, { bytes, isChecked: true }),
    hold() {
      held = true
    },
    release() {
      held = false
      schedule()
    },
    async close() {
      closed = true
      clearImmediate(scheduled)
      if (waiting.some(({ isChecked }) => isChecked)) await records.load()
      for (;;) {
        await flushing
        if (waiting.length === 0) return
        settle(transact(takeSome()))
      }
    },
  }
}

interface Entry extends Pick<Write, 'bytes' | 'isChecked'> {
  onDurable?: (() => void) | undefined
}

const tellAll = (written: readonly Write[]): void => {
  for (const write of written) write.tell()
}

/** How many of the first writes fit, at least one. */
const countWithin = (writes: readonly Write[], limit: number): number => {
  let bytes = 0
  const tooMany = writes.findIndex((write, index) => {
    bytes += write.bytes
    return index > 0 && bytes > limit
  })
  return tooMany === -1 ? writes.length : tooMany
}

const writeFailed = (cause: unknown): LogFault => {
  if (cause instanceof LogFault) return cause
  const message = `The log could not be written: ${reasonOf(cause)}`
  return new LogFault('write_failed', message, { cause })
}
