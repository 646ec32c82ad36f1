import { closedLog, LogFault } from '../log-fault.ts'
import type { Database } from './database.ts'
import type { Records } from './records.ts'

/** Takes writes in and does those of one turn of the event loop in one transaction. */
export interface Writes {
  /**
   * Does `work` with the others of this turn, in order, and gives its result once it is durable.
   * A `LogFault` must leave it before it has changed anything. It may be called a second time,
   * when the first transaction failed. `bytes` is about how much it will write.
   */
  add<Result>(work: () => Result, bytes?: number): Promise<Result>
  /** The same for work that checks records: it and what comes behind it wait until that can be. */
  addChecked<Result>(work: () => Result, bytes?: number): Promise<Result>
  /** Keeps writes waiting, without holding up anything else. */
  hold(): void
  release(): void
  /** Does what waits and takes nothing more. */
  close(): Promise<void>
}

export interface WriteHooks {
  /** A transaction is durable: about so many bytes. */
  onCommit(bytes: number): void
  /** A transaction is undone: whatever its works have noted is void. */
  onRollback(): void
}

interface Write {
  /** Gives what to tell once the transaction is durable. */
  attempt(): () => void
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

  const schedule = () => {
    if (scheduled === undefined && !held && !isLoading && waiting.length > 0)
      scheduled = setImmediate(flush)
  }

  const flush = () => {
    scheduled = undefined
    if (!held && isReady()) transact(takeSome())
    schedule()
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

  /** One transaction; where it fails, each write gets its own, so that one hurts no other. */
  const transact = (writes: readonly Write[]): void => {
    if (writes.length === 0) return
    let outcomes: (() => void)[]
    try {
      begin.run()
      outcomes = writes.map((write) => write.attempt())
      commit.run()
    } catch (cause) {
      rollBack()
      if (writes.length === 1) writes[0]?.reject(writeFailed(cause))
      else for (const write of writes) transact([write])
      return
    }
    hooks.onCommit(writes.reduce((sum, write) => sum + write.bytes, 0))
    for (const tell of outcomes) tell()
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
    bytes: number,
    isChecked: boolean,
  ): Promise<Result> => {
    if (closed) return Promise.reject(closedLog())
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const attempt = () => {
      try {
        const result = work()
        return () => resolve(result)
      } catch (cause) {
        if (!(cause instanceof LogFault)) throw cause
        return () => reject(cause)
      }
    }
    waiting.push({ attempt, reject, bytes, isChecked })
    schedule()
    return promise
  }

  return {
    add: (work, bytes = 0) => enter(work, bytes, false),
    addChecked: (work, bytes = 0) => enter(work, bytes, true),
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
      while (waiting.length > 0) transact(takeSome())
    },
  }
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
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new LogFault('write_failed', `The log could not be written: ${reason}`, { cause })
}
