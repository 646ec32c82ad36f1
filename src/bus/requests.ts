import { reasonOf } from '../shared/reason.ts'
import type { BusReply, RequestContext, RequestOptions } from './bus.ts'

const defaultDeadlineMs = 60_000
/** A longer timer would go off at once. */
const longestTimerMs = 2_147_483_647

/** The requests that wait for an answer. Each ends exactly once, with whatever comes first. */
export const createRequests = () => {
  const open = new Set<() => void>()

  return {
    async ask<Value>(
      answer: (question: RequestContext) => Promise<Value>,
      { deadlineMs = defaultDeadlineMs, signal }: RequestOptions,
    ): Promise<BusReply<Value>> {
      if (signal?.aborted) return { outcome: 'closed' }
      if (!(deadlineMs > 0)) return { outcome: 'timed_out' }
      const { promise, resolve } = Promise.withResolvers<BusReply<Value>>()
      const close = () => resolve({ outcome: 'closed' })
      const late = () => resolve({ outcome: 'timed_out' })
      const timer = setTimeout(late, Math.min(deadlineMs, longestTimerMs))
      signal?.addEventListener('abort', close)
      open.add(close)

      const question = new AbortController()
      answer({ deadlineMs, signal: question.signal }).then(
        (value) => resolve({ outcome: 'answered', value }),
        (error: unknown) => resolve({ outcome: 'failed', message: reasonOf(error) }),
      )

      const reply = await promise
      clearTimeout(timer)
      signal?.removeEventListener('abort', close)
      open.delete(close)
      if (reply.outcome !== 'answered') question.abort(reply.outcome)
      return reply
    },
    /** Nobody will answer any more. */
    close(): void {
      for (const close of open) close()
    },
  }
}
