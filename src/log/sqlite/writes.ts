import { closedLog } from '../log-fault.ts'
import type { Database } from './database.ts'
import type { RecordSerializer } from './record-serializer.ts'
import { createTransactions, type TransactionHooks } from './transactions.ts'
import { createWrite, type Write, type WriteOptions } from './write.ts'

/**
 * Queues writes and puts those of one turn of the event loop into one transaction. When nothing waits
 * for the disk, the first writes of a turn run at once: a single event is then published sooner.
 */
export interface Writes {
  /**
   * Runs `work` in order with the other writes, and resolves with its result once that is durable.
   * `work` must throw a `LogFault` before it changes anything. It may run twice: again when the first
   * transaction failed. `bytes` is about how much it writes. `onDurable` runs before the promise resolves.
   */
  add<Result>(work: () => Result, bytes?: number, onDurable?: () => void): Promise<Result>
  /** Like `add`, for work that validates records. It and the writes after it wait for the schemas. */
  addRecord<Result>(work: () => Result, bytes?: number): Promise<Result>
  /** Stops new transactions until `release`, without blocking the event loop. */
  hold(): void
  release(): void
  /** Writes nothing from now on: a flush has failed. */
  fail(cause: unknown): void
  /** Runs the writes in the queue, held or not. Later ones are rejected with `closed`. */
  close(): Promise<void>
}

/** How much one transaction may write, so that a flood of writes does not block the event loop. */
const transactionBytes = 256 * 1024

export const createWrites = (
  database: Database,
  serializer: Pick<RecordSerializer, 'isReady' | 'load'>,
  hooks: TransactionHooks,
): Writes => {
  const transactions = createTransactions(database, hooks, () => schedule())
  const queue: Write[] = []
  let scheduled: NodeJS.Immediate | undefined
  let isHeld = false
  let isLoading = false
  let isClosed = false
  /** The first writes of this turn have run: later ones wait until it ends. */
  let isTurnUsed = false

  const schedule = () => {
    const isBlocked = isHeld || isLoading || transactions.flushing() !== undefined
    if (scheduled !== undefined || isBlocked || queue.length === 0) return
    scheduled = setImmediate(endTurn)
    if (isTurnUsed || hooks.flush) return
    isTurnUsed = true
    queueMicrotask(runSome) // a microtask, so that calls made in the same tick share the transaction
  }

  const endTurn = () => {
    scheduled = undefined
    runSome()
    schedule()
    isTurnUsed = scheduled !== undefined
  }

  const runSome = () => {
    if (!isHeld && transactions.flushing() === undefined && hasSchemas())
      transactions.run(takeSome(queue))
  }

  /** Whether the queue can run. When it needs schemas, they are loaded, and it is scheduled again. */
  const hasSchemas = (): boolean => {
    if (serializer.isReady() || !needSchemas(queue)) return true
    isLoading = true
    void serializer.load().then(() => {
      isLoading = false
      schedule()
    })
    return false
  }

  const enqueue = <Result>(work: () => Result, options: WriteOptions): Promise<Result> => {
    if (isClosed) return Promise.reject(closedLog())
    const caller = Promise.withResolvers<Result>()
    queue.push(createWrite(work, options, caller))
    schedule()
    return caller.promise
  }

  return {
    add: (work, bytes = 0, onDurable) => enqueue(work, { bytes, needsSchemas: false, onDurable }),
    addRecord: (work, bytes = 0) => enqueue(work, { bytes, needsSchemas: true }),
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      schedule()
    },
    fail: transactions.fail,
    async close() {
      isClosed = true
      clearImmediate(scheduled)
      if (needSchemas(queue)) await serializer.load()
      await transactions.flushing()
      while (queue.length > 0) {
        transactions.run(takeSome(queue))
        await transactions.flushing()
      }
    },
  }
}

const needSchemas = (queue: readonly Write[]): boolean => queue.some((write) => write.needsSchemas)

/** Removes the first writes from the queue: as many as fit into a transaction, at least one. */
const takeSome = (queue: Write[]): Write[] => {
  let bytes = 0
  const end = queue.findIndex((write, index) => {
    bytes += write.bytes
    return index > 0 && bytes > transactionBytes
  })
  return queue.splice(0, end === -1 ? queue.length : end)
}
