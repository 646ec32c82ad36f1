import { z } from 'zod'
import { matches } from '../pattern.ts'
import type { BusConnection } from './bus-connection.ts'
import { jsonIn } from './rpc-messages.ts'

/** What programs on other connections are subscribed to, as far as they announce it. */
export interface Interest {
  /** Whether another program has announced a subscription to a subject. */
  isWanted(subject: string): boolean
  /** Announces the subscriptions of this bus soon: they have changed. */
  announce(): void
  close(): void
}

/** NATS does not report who is subscribed, so each bus repeats what it wants. */
const repeatMs = 5000
const validMs = 3 * repeatMs
const maxPatterns = 10_000

const announcement = z.object({ patterns: z.array(z.string()) })

/** `wanted`: the subjects that this bus has subscribers for. */
export const createInterest = (
  connection: BusConnection,
  subject: string,
  wanted: () => string[],
): Interest => {
  /** When each pattern expires, on the monotonic clock. */
  const patterns = new Map<string, number>()
  let isScheduled = false

  const publish = (): void => {
    isScheduled = false
    const own = wanted()
    if (own.length > 0 && connection.isConnected())
      connection.publish(subject, JSON.stringify({ patterns: own }))
  }
  const timer = setInterval(publish, repeatMs)
  timer.unref()
  const end = connection.subscribe(subject, (message) => {
    const found = announcement.safeParse(jsonIn(message))
    if (!found.success) return
    const now = performance.now()
    for (const [pattern, until] of patterns) if (until < now) patterns.delete(pattern)
    for (const pattern of found.data.patterns)
      if (patterns.size < maxPatterns) patterns.set(pattern, now + validMs)
  })

  return {
    isWanted(wantedSubject) {
      const now = performance.now()
      for (const [pattern, until] of patterns)
        if (until >= now && matches(pattern, wantedSubject)) return true
      return false
    },
    announce() {
      if (isScheduled) return
      isScheduled = true
      queueMicrotask(publish)
    },
    close() {
      clearInterval(timer)
      end()
    },
  }
}
