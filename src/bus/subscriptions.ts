import type { BusReport, Handler, MessageFor, SubscribeOptions, SubscriptionEnd } from './bus.ts'
import { type Pattern, subjectsFor } from './pattern.ts'
import type { BusMessage } from './subjects/table.ts'
import { createSubscriber } from './subscriber.ts'

/** Small enough to bound memory, large enough for the messages of one read of an agent’s output. */
const defaultLimit = 4096

interface Subscription {
  push(message: BusMessage): void
  idle(): Promise<void>
  close(): void
}

/** The subscriptions of a bus, by subject. */
export interface Subscriptions {
  /** Subscribes a handler. Returns a function that ends the subscription. */
  add<Wanted extends Pattern>(
    pattern: Wanted,
    handler: Handler<Wanted>,
    options?: SubscribeOptions,
  ): () => void
  /** Whether a subject has subscriptions. */
  isWanted(subject: string): boolean
  /** The subjects that have subscriptions. */
  subjects(): string[]
  /** Queues a message for every subscription of its subject. */
  push(message: BusMessage): void
  /** Waits until every handler is done, but no longer than `drainMs`; then ends all subscriptions. */
  close(drainMs: number): Promise<void>
}

/** `onChange` is called with a subject when it gets its first subscription and when it loses its last. */
export const createSubscriptions = (
  report: (report: BusReport) => void,
  onChange: (subject: string, isWanted: boolean) => void = () => {},
): Subscriptions => {
  const all = new Set<Subscription>()
  const bySubject = new Map<string, Set<Subscription>>()
  let isClosed = false
  const isWanted = (subject: string): boolean => (bySubject.get(subject)?.size ?? 0) > 0

  const add = <Wanted extends Pattern>(
    pattern: Wanted,
    handler: Handler<Wanted>,
    { limit = defaultLimit, onEnd }: SubscribeOptions = {},
  ): (() => void) => {
    const subjects = new Set(subjectsFor(pattern))
    const isForHandler = (message: BusMessage): message is MessageFor<Wanted> =>
      subjects.has(message.subject)

    const subscriber = createSubscriber({
      handle: (message) => (isForHandler(message) ? handler(message) : undefined),
      limit,
      onError: (error, { subject }) => report({ code: 'handler_failed', pattern, subject, error }),
      onFull: () => drop(),
    })
    const subscription: Subscription = {
      push: subscriber.push,
      idle: subscriber.idle,
      close: () => (subscriber.waiting() > 0 ? drop() : end('closed')),
    }

    const unsubscribe = () => {
      subscriber.clear()
      all.delete(subscription)
      for (const subject of subjects)
        if (bySubject.get(subject)?.delete(subscription) && !isWanted(subject))
          onChange(subject, false)
    }
    const end = (reason: SubscriptionEnd) => {
      unsubscribe()
      queueMicrotask(() => {
        try {
          onEnd?.(reason)
        } catch (error) {
          report({ code: 'handler_failed', pattern, error })
        }
      })
    }
    const drop = () => {
      report({ code: 'slow_subscriber', pattern, limit })
      end('slow_subscriber')
    }

    if (isClosed) {
      end('closed')
      return unsubscribe
    }

    all.add(subscription)
    for (const subject of subjects) {
      const own = bySubject.get(subject) ?? new Set()
      bySubject.set(subject, own.add(subscription))
      if (own.size === 1) onChange(subject, true)
    }
    return unsubscribe
  }

  return {
    add,
    isWanted: (subject) => !isClosed && isWanted(subject),
    subjects: () => [...bySubject.keys()].filter(isWanted),
    push(message) {
      if (isClosed) return
      for (const each of bySubject.get(message.subject) ?? []) each.push(message)
    },
    async close(drainMs) {
      isClosed = true
      const { promise: timeout, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, drainMs)
      await Promise.race([timeout, Promise.all([...all].map((each) => each.idle()))])
      clearTimeout(timer)
      for (const each of all) each.close()
    },
  }
}
