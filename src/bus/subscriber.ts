import type { BusMessage } from './subjects/table.ts'

/** What a listener is made of. */
export interface SubscriberOptions {
  handle(message: BusMessage): void | Promise<void>
  /** Messages that may wait. */
  limit: number
  onError(error: unknown, message: BusMessage): void
  /** One came for which there was no room. */
  onFull(): void
}

/** One listener with its queue: messages in order, one at a time, never more than the limit. */
export const createSubscriber = ({ handle, limit, onError, onFull }: SubscriberOptions) => {
  const queue: BusMessage[] = []
  let isWorking = false
  /** Those who wait until nothing waits. */
  let rested: PromiseWithResolvers<void> | undefined

  // Callbacks instead of an async function: most handlers need no turn of their own, and get none.
  const work = (): void => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const message = next
      try {
        const done = handle(message)
        if (done === undefined) continue
        // Whatever it returned: not every handler is checked by a compiler.
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
    rested?.resolve()
    rested = undefined
  }

  return {
    push(message: BusMessage): void {
      if (queue.length >= limit) {
        onFull()
        return
      }
      queue.push(message)
      if (isWorking) return
      isWorking = true
      queueMicrotask(work) // never inside of emit
    },
    /** Drops what waits. */
    clear(): void {
      queue.length = 0
    },
    waiting: (): number => queue.length,
    /** Settles when nothing waits and the handler is done. */
    idle(): Promise<void> {
      if (!isWorking) return Promise.resolve()
      rested ??= Promise.withResolvers()
      return rested.promise
    },
  }
}
