import { ApiError, clientError } from './api-error.ts'
import { wait } from './platform.ts'
import { type BodyCheck, readJson, receiveBody } from './response.ts'
import type { Transport, TransportRequest } from './transport.ts'

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal
  /** How long the response may take. Default: 30 s. */
  timeoutMs?: number
}

/** Options of a call that takes effect once, however often it is sent. */
export interface OnceOptions extends CallOptions {
  /** Default: a new key for each call. Pass the same key to send a call again. */
  idempotencyKey?: string
}

/** A request without what the caller adds. */
export type ApiCall = Omit<TransportRequest, 'signal'>

/** Sends calls and reads their responses. */
export interface Caller {
  /** Sends a call and returns its JSON body. */
  json<Body>(call: ApiCall, isExpected: BodyCheck<Body>, options?: CallOptions): Promise<Body>
  /** The same with an idempotency key: the call is sent again when its response was lost. */
  once<Body>(call: ApiCall, isExpected: BodyCheck<Body>, options?: OnceOptions): Promise<Body>
  /** Sends a call whose response has no content. */
  empty(call: ApiCall, options?: CallOptions): Promise<void>
  /** Sends a call and returns its body as it is. */
  bytes(call: ApiCall, options?: CallOptions): Promise<Blob>
}

/**
 * How long to wait, in ms, before each retry of a call whose response was lost. Together it is long
 * enough for a server that restarts.
 */
const retryDelaysMs = [300, 1500, 3000, 5000] as const

export const createCaller = (transport: Transport): Caller => {
  const { platform } = transport

  /** Sends a call, and reads its response within the time limit. */
  const send = async <Result>(
    call: ApiCall,
    { signal, timeoutMs = 30_000 }: CallOptions = {},
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> => {
    const limit = new AbortController()
    const cancel = platform.setTimer(() => limit.abort(clientError('timed_out')), timeoutMs)
    const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
    try {
      return await read(await transport.request({ ...call, signal: either }))
    } catch (cause) {
      // Engines throw different errors for an abort: the signal has the reason.
      throw either.aborted ? either.reason : cause
    } finally {
      cancel()
    }
  }

  const json: Caller['json'] = (call, isExpected, options) =>
    send(call, options, (response) => readJson(response, isExpected))

  return {
    json,
    async once(call, isExpected, { idempotencyKey = randomKey(), ...options } = {}) {
      const keyed = { ...call, headers: { ...call.headers, 'idempotency-key': idempotencyKey } }
      for (const delayMs of retryDelaysMs) {
        try {
          return await json(keyed, isExpected, options)
        } catch (cause) {
          if (!isLost(cause) || options.signal?.aborted) throw cause
          await wait(platform, delayMs, options.signal)
        }
      }
      return json(keyed, isExpected, options)
    },
    async empty(call, options) {
      await send(call, options, (response) => receiveBody(response.text()))
    },
    bytes: (call, options) => send(call, options, (response) => receiveBody(response.blob())),
  }
}

/** Whether the server may have done it all the same: no response came, or only a proxy’s. */
const isLost = (cause: unknown): boolean =>
  cause instanceof ApiError &&
  (['unreachable', 'timed_out'].includes(cause.code) || [502, 504].includes(cause.status))

/** A unique key. `crypto.randomUUID` is missing on pages that were loaded over plain HTTP. */
const randomKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
