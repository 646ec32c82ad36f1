import { hash } from 'node:crypto'
import { Problem } from '../shared/problem.ts'

export interface IdempotencyOptions {
  now?(): number
  /** How long a response is remembered. Default: 10 minutes. */
  keepMs?: number
  /** How many responses are remembered; the oldest are forgotten first. Default: 10,000. */
  limit?: number
}

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** The API key of the sender: two senders may use the same `Idempotency-Key`. */
  owner: string
  /** Method and path. */
  route: string
  key: string
  body: string
}

/** Runs a request that is sent twice only once. */
export interface Idempotency<Response> {
  /**
   * Runs the first request with a key and returns its response to all repetitions, also while it is
   * still running. Throws a `Problem` 422 when the body differs. A request that fails has changed
   * nothing and is forgotten: the next one runs again.
   */
  once(
    request: IdempotentRequest,
    run: () => Promise<Response>,
  ): Promise<{ response: Response; isRepeated: boolean }>
  /** How many responses are remembered now. */
  size(): number
}

interface Remembered<Response> {
  bodyHash: string
  response: Promise<Response>
  at: number
}

export const createIdempotency = <Response>(
  options: IdempotencyOptions = {},
): Idempotency<Response> => {
  const { now = Date.now, keepMs = 10 * 60 * 1000, limit = 10_000 } = options
  /** In order of arrival. */
  const remembered = new Map<string, Remembered<Response>>()

  const forgetOld = () => {
    for (const [id, { at }] of remembered) {
      if (remembered.size <= limit && at > now() - keepMs) return
      remembered.delete(id)
    }
  }

  return {
    async once(request, run) {
      forgetOld()
      const id = JSON.stringify([request.owner, request.route, request.key])
      const bodyHash = hash('sha256', request.body)
      const earlier = remembered.get(id)
      if (earlier) {
        if (earlier.bodyHash !== bodyHash) throw otherBody()
        return { response: await earlier.response, isRepeated: true }
      }
      const own = { bodyHash, response: run(), at: now() }
      remembered.set(id, own)
      try {
        return { response: await own.response, isRepeated: false }
      } catch (cause) {
        if (remembered.get(id) === own) remembered.delete(id)
        throw cause
      }
    },
    size: () => remembered.size,
  }
}

const otherBody = (): Problem =>
  new Problem(
    422,
    'idempotency_mismatch',
    'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  )
