import type { BusMessage } from './subjects/table.ts'

export interface SubscriberOptions {
  handle(message: BusMessage): void | Promise<void>
  /** How many messages may wait. */
  limit: number
  onError(error: unknown, message: BusMessage): void
  /** A message did not fit into the queue. */
  onFull(): void
}

/** One handler with its queue. The handler gets messages in order, one at a time. */
export interface Subscriber {
  /** Queues a message for the handler. */
  push(message: BusMessage): void
  /** Drops the queued messages. */
  clear(): void
  /** How many messages are queued. */
  waiting(): number
  /** Resolves when the queue is empty and the handler is done. */
  idle(): Promise<void>
}

export const createSubscriber = (options: SubscriberOptions): Subscriber => {
  const { handle, limit, onError, onFull } = options
  const queue: BusMessage[] = []
  let isWorking = false
  let idle: PromiseWithResolvers<void> | undefined

  // Callbacks, not an async function: most handlers are synchronous and need no extra turn.
  const work = (): void => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const message = next
      try {
        const done = handle(message)
        if (done === undefined) continue
        // A handler in plain JavaScript may return anything.
        Promise.resolve(done).then(work, (error: unknown) => {
          onError(error, message)
          work()
        })
        return
      } catch (error) {
        onError(error, message)
      }
    }
    isWorking = false
    idle?.resolve()
    idle = undefined
  }

  return {
    push(message) {
      if (queue.length >= limit) {
        onFull()
        return
      }
      queue.push(message)
      if (isWorking) return
      isWorking = true
      queueMicrotask(work) // never inside `emit`
    },
    clear() {
      queue.length = 0
    },
    waiting: () => queue.length,
    idle() {
      if (!isWorking) return Promise.resolve()
      idle ??= Promise.withResolvers()
      return idle.promise
    },
  }
}
