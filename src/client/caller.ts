import type { z } from 'zod'
import { ApiError, clientError } from './api-error.ts'
import { wait } from './platform.ts'
import { randomKey } from './random-key.ts'
import { readBody, readJson } from './response.ts'
import type { Transport, TransportRequest } from './transport.ts'

/** What every call takes beside its own arguments. */
export interface CallOptions {
  signal?: AbortSignal
  /** How long the answer may take; 30 s unless told otherwise. */
  timeoutMs?: number
}

/** What a call takes that may be sent twice and happens once. */
export interface OnceOptions extends CallOptions {
  /** Made anew for each call unless given: give the same one to try a call again. */
  idempotencyKey?: string
}

/** A call without what is the same for all. */
export type ApiCall = Omit<TransportRequest, 'signal'>

/** Waits before a call is sent again whose answer was lost. */
const pauses = [300, 1500] as const

/** Calls of a server, one by one. */
export const createCaller = (transport: Transport) => {
  const { platform } = transport

  const within = async <Result>(
    { signal, timeoutMs = 30_000 }: CallOptions,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const limit = new AbortController()
    const cancel = platform.setTimer(() => limit.abort(clientError('timed_out')), timeoutMs)
    const both = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
    try {
      return await run(both)
    } catch (cause) {
      // Engines differ in what they throw for an abort: the signal knows why.
      throw both.aborted ? both.reason : cause
    } finally {
      cancel()
    }
  }

  /** The answer as its schema has it. */
  const get = <Schema extends z.ZodType>(
    call: ApiCall,
    schema: Schema,
    options: CallOptions = {},
  ): Promise<z.infer<Schema>> =>
    within(options, async (signal) =>
      readJson(await transport.request({ ...call, signal }), schema),
    )

  return {
    get,
    /** The same with a key, so that it can be sent again when the answer was lost. */
    async once<Schema extends z.ZodType>(
      call: ApiCall,
      schema: Schema,
      { idempotencyKey = randomKey(), ...options }: OnceOptions = {},
    ): Promise<z.infer<Schema>> {
      const keyed = { ...call, headers: { 'idempotency-key': idempotencyKey } }
      for (const pause of pauses) {
        try {
          return await get(keyed, schema, options)
        } catch (cause) {
          if (!isLost(cause) || options.signal?.aborted) throw cause
          await wait(platform, pause, options.signal)
        }
      }
      return get(keyed, schema, options)
    },
    /** An answer that says nothing but that it is done. */
    async done(call: ApiCall, options: CallOptions = {}): Promise<void> {
      await within(options, async (signal) =>
        readBody((await transport.request({ ...call, signal })).text()),
      )
    },
    /** An answer that is bytes. */
    bytes: (call: ApiCall, options: CallOptions = {}): Promise<Blob> =>
      within(options, async (signal) =>
        readBody((await transport.request({ ...call, signal })).blob()),
      ),
  }
}
export type Caller = ReturnType<typeof createCaller>

/** Whether the server may have done it, or will: no answer came, or only that of a proxy. */
const isLost = (cause: unknown): boolean =>
  cause instanceof ApiError &&
  (cause.code === 'unreachable' || cause.code === 'timed_out' || isProxy(cause.status))

const isProxy = (status: number): boolean => status === 502 || status === 504
