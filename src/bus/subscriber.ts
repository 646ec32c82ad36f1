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
  let working: Promise<void> | undefined

  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        const done = handle(next)
        if (done !== undefined) await done // most handlers need no turn of their own
      } catch (error) {
        onError(error, next)
      }
    }
    working = undefined
  }

  return {
    push(message: BusMessage): void {
      if (queue.length >= limit) {
        onFull()
        return
      }
      queue.push(message)
      working ??= Promise.resolve().then(work) // never inside of emit
    },
    /** Drops what waits. */
    clear(): void {
      queue.length = 0
    },
    waiting: (): number => queue.length,
    /** Settles when nothing waits and the handler is done. */
    idle: async (): Promise<void> => working,
  }
}
