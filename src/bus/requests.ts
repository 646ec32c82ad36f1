import { reasonOf } from '../shared/reason.ts'
import type { BusReply, RequestContext, RequestOptions } from './bus.ts'

const defaultDeadlineMs = 60_000
/** A timer with a longer delay would fire at once. */
const longestTimerMs = 2_147_483_647

/** The requests that wait for a response. */
export interface Requests {
  /** Sends a request. It ends once, with whatever comes first: response, deadline, abort, close. */
  send<Value>(
    respond: (context: RequestContext) => Promise<Value>,
    options: RequestOptions,
  ): Promise<BusReply<Value>>
  /** Ends all open requests with `closed`. */
  close(): void
}

export const createRequests = (): Requests => {
  const open = new Set<() => void>()

  return {
    async send<Value>(
      respond: (context: RequestContext) => Promise<Value>,
      { deadlineMs = defaultDeadlineMs, signal }: RequestOptions,
    ): Promise<BusReply<Value>> {
      if (signal?.aborted) return { outcome: 'closed' }
      if (!(deadlineMs > 0)) return { outcome: 'timed_out' }
      const { promise, resolve } = Promise.withResolvers<BusReply<Value>>()
      const close = () => resolve({ outcome: 'closed' })
      const expire = () => resolve({ outcome: 'timed_out' })
      const timer = setTimeout(expire, Math.min(deadlineMs, longestTimerMs))
      signal?.addEventListener('abort', close)
      open.add(close)

      const controller = new AbortController()
      respond({ deadlineMs, signal: controller.signal }).then(
        (value) => resolve({ outcome: 'answered', value }),
        (error: unknown) => resolve({ outcome: 'failed', message: reasonOf(error) }),
      )

      const reply = await promise
      clearTimeout(timer)
      signal?.removeEventListener('abort', close)
      open.delete(close)
      if (reply.outcome !== 'answered') controller.abort(reply.outcome)
      return reply
    },
    close() {
      for (const close of open) close()
    },
  }
}
