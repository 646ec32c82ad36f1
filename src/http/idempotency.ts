import { hash } from 'node:crypto'
import type { CommandKey } from '../log/types.ts'
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
   * nothing and is forgotten: the next one runs again. `find` returns the response of a request that
   * ran before this process, if it is stored.
   */
  once(
    request: IdempotentRequest,
    run: () => Promise<Response>,
    find?: () => Promise<Response | undefined>,
  ): Promise<OnceResponse<Response>>
  /** How many responses are remembered now. */
  size(): number
}

export interface OnceResponse<Response> {
  response: Response
  isRepeated: boolean
}

interface Remembered<Response> {
  bodyHash: string
  answered: Promise<OnceResponse<Response>>
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
    async once(request, run, find) {
      forgetOld()
      const { key: id, hash: bodyHash } = commandKeyOf(request)
      const earlier = remembered.get(id)
      if (earlier) {
        if (earlier.bodyHash !== bodyHash) throw otherBody()
        return { response: (await earlier.answered).response, isRepeated: true }
      }
      const own = { bodyHash, answered: findOrRun(run, find), at: now() }
      remembered.set(id, own)
      try {
        return await own.answered
      } catch (cause) {
        if (remembered.get(id) === own) remembered.delete(id)
        throw cause
      }
    },
    size: () => remembered.size,
  }
}

/** How the request is recognised when it is sent again. */
export const commandKeyOf = ({ owner, route, key, body }: IdempotentRequest): CommandKey => ({
  key: hash('sha256', JSON.stringify([owner, route, key])),
  hash: hash('sha256', body),
})

const findOrRun = async <Response>(
  run: () => Promise<Response>,
  find?: () => Promise<Response | undefined>,
): Promise<OnceResponse<Response>> => {
  const found = await find?.()
  if (found !== undefined) return { response: found, isRepeated: true }
  return { response: await run(), isRepeated: false }
}

/** The refusal of a key that was used for another request. */
export const otherBody = (): Problem =>
  new Problem(
    422,
    'idempotency_mismatch',
    'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  )
