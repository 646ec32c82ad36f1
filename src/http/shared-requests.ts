import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { RequestStore, StoredRequest } from '../log/shared-log.ts'
import { Problem } from '../shared/problem.ts'
import { forwardedResponse } from './forwarded-request.ts'
import { responseFromNode, responseToForward } from './forwarding.ts'
import { commandKeyOf, type IdempotentRequest, otherBody } from './idempotency.ts'
import type { OtherNodes } from './other-nodes.ts'
import { problemOf } from './problem-of.ts'
import type { RouteResponse } from './send-response.ts'

/** Runs a request with an `Idempotency-Key` once, whichever nodes get it. */
export interface SharedRequests {
  /**
   * Runs the first request with a key, and returns its response to all others. When the node that ran it
   * is lost before it responded, or the request failed, the next one runs it again, with the same `newId`.
   * Throws a `Problem`: 422 for another body, and 409 if another node takes too long.
   */
  once(
    request: IdempotentRequest,
    run: (newId: string) => Promise<RouteResponse>,
  ): Promise<RouteResponse>
}

export interface SharedRequestsOptions {
  requests: RequestStore
  nodes: Pick<OtherNodes, 'self' | 'keepsLease'>
  /** How long a request waits for another node. Default: 45 seconds, longer than a lease. */
  waitMs?: number
  onError(cause: unknown): void
}

/** How long, and how many, responses are stored. */
const keepMs = 10 * 60 * 1000
const maxRequests = 10_000
const pruneMs = 60_000
/** A response that is longer is made again from what the request has created. */
const maxResponse = 20_000
const pollMs = 100

export const createSharedRequests = ({
  requests,
  nodes,
  waitMs = 45_000,
  onError,
}: SharedRequestsOptions): SharedRequests => {
  let prunedAt = Number.NEGATIVE_INFINITY

  /** Awaited: what has expired must not answer the next request. */
  const prune = async (): Promise<void> => {
    if (performance.now() - prunedAt < pruneMs) return
    prunedAt = performance.now()
    await requests.prune(keepMs, maxRequests).catch(onError)
  }

  const execute = async (
    key: string,
    own: StoredRequest,
    run: (newId: string) => Promise<RouteResponse>,
  ): Promise<RouteResponse> => {
    let response: RouteResponse
    try {
      response = await run(own.newId)
    } catch (cause) {
      // What was refused has changed nothing. What failed may be stored: the next one looks for its id.
      const isUnsure = problemOf(cause, () => {}).status >= 500
      await requests
        .replace(key, own, isUnsure ? { ...own, isDone: true } : undefined)
        .catch(onError)
      throw cause
    }
    const text = JSON.stringify(responseToForward(response))
    const stored = text.length > maxResponse ? {} : { response: text }
    await requests.replace(key, own, { ...own, isDone: true, ...stored }).catch(onError)
    return response
  }

  /** Whether the process that runs it is gone. In this process, a request has been waited for already. */
  const isAbandoned = async ({ node, incarnation }: StoredRequest): Promise<boolean> => {
    const self = nodes.self()
    if (node === self.node && incarnation === self.incarnation) return true
    return !(await nodes.keepsLease({ node, incarnation }))
  }

  return {
    async once(request, run) {
      await prune()
      const { key, hash } = commandKeyOf(request)
      const end = performance.now() + waitMs
      for (;;) {
        const own: StoredRequest = { hash, newId: randomUUID(), ...nodes.self() }
        const before = await requests.begin(key, own)
        if (!before) return execute(key, own, run)
        if (before.hash !== hash) throw otherBody()
        if (before.response !== undefined) return replayed(stored(before.response))
        if (before.isDone || (await isAbandoned(before))) {
          const next = { ...own, newId: before.newId }
          if (await requests.replace(key, before, next)) return execute(key, next, run)
          continue
        }
        if (performance.now() > end) throw stillRunning(before.node)
        await delay(pollMs)
      }
    },
  }
}

/** A response that says that the request ran before. */
export const replayed = (response: RouteResponse): RouteResponse => ({
  ...response,
  headers: { ...response.headers, 'Idempotency-Replayed': 'true' },
})

const stored = (response: string): RouteResponse =>
  responseFromNode(forwardedResponse.parse(JSON.parse(response)))

const stillRunning = (node: string): Problem =>
  new Problem(
    409,
    'request_running',
    `Node ${node} still runs a request with this Idempotency-Key. Send it again later, with the same key.`,
    { retryAfter: 5, node },
    { 'Retry-After': '5' },
  )
