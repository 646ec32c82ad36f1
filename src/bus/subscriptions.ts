import type { BusReport, Handler, MessageFor, SubscribeOptions, SubscriptionEnd } from './bus.ts'
import { type Pattern, subjectsFor } from './pattern.ts'
import type { BusMessage } from './subjects/table.ts'
import { createSubscriber } from './subscriber.ts'

/** Small enough to bound memory, large enough for what one read of an agent’s output can bring. */
const defaultLimit = 4096

interface Subscription {
  push(message: BusMessage): void
  idle(): Promise<void>
  close(): void
}

/** Everybody who listens, by the subjects that they listen to. */
export const createSubscriptions = (report: (report: BusReport) => void) => {
  const all = new Set<Subscription>()
  const bySubject = new Map<string, Set<Subscription>>()
  let isClosed = false

  const add = <Wanted extends Pattern>(
    pattern: Wanted,
    handler: Handler<Wanted>,
    { limit = defaultLimit, onEnd }: SubscribeOptions = {},
  ): (() => void) => {
    const subjects = new Set(subjectsFor(pattern))
    const isMeant = (message: BusMessage): message is MessageFor<Wanted> =>
      subjects.has(message.subject)

    const subscriber = createSubscriber({
      handle: (message) => (isMeant(message) ? handler(message) : undefined),
      limit,
      onError: (error, { subject }) => report({ code: 'handler_failed', pattern, subject, error }),
      onFull: () => drop(),
    })
    const subscription: Subscription = {
      push: subscriber.push,
      idle: subscriber.idle,
      close: () => (subscriber.waiting() > 0 ? drop() : end('closed')),
    }

    const undo = () => {
      subscriber.clear()
      all.delete(subscription)
      for (const subject of subjects) bySubject.get(subject)?.delete(subscription)
    }
    const end = (reason: SubscriptionEnd) => {
      undo()
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
      return undo
    }

    all.add(subscription)
    for (const subject of subjects) listenersOf(subject).add(subscription)
    return undo
  }

  const listenersOf = (subject: string): Set<Subscription> => {
    const known = bySubject.get(subject)
    if (known) return known
    const fresh = new Set<Subscription>()
    bySubject.set(subject, fresh)
    return fresh
  }

  return {
    add,
    push(message: BusMessage): void {
      if (isClosed) return
      for (const each of bySubject.get(message.subject) ?? []) each.push(message)
    },
    /** Lets everybody finish what waits, but not for ever; then ends all. */
    async close(drainMs: number): Promise<void> {
      isClosed = true
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, drainMs)
      await Promise.race([late, Promise.all([...all].map((each) => each.idle()))])
      clearTimeout(timer)
      for (const each of all) each.close()
    },
  }
}
