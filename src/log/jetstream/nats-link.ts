import { setTimeout as delay } from 'node:timers/promises'
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { closedLog, LogFault } from '../log-fault.ts'
import { createPendingCalls, type PendingCall, type PendingCalls } from './pending-calls.ts'
import { reconnectOptions } from './reconnect-options.ts'
import { isLoginRefused, isStreamMissing, serverErrorOf } from './server-errors.ts'
import { connectFault } from './setup-faults.ts'

/** How to reach a NATS cluster. */
export interface NatsOptions {
  /** Addresses such as `nats://127.0.0.1:4222`. */
  servers: readonly string[]
  /** Credentials and the like, as the client library takes them. */
  connection?: Omit<ConnectionOptions, 'servers'>
}

/** A connection to NATS that says whether it works. */
export interface NatsLink {
  readonly connection: NatsConnection
  readonly client: JetStreamClient
  readonly manager: JetStreamManager
  /** The calls that wait for an answer now. */
  readonly calls: PendingCalls
  isConnected(): boolean
  /** Whether the servers refuse the login, so that there is no connection. */
  isRefused(): boolean
  /** How often the connection was lost. */
  disconnects(): number
  /**
   * Runs a call until the server answers. Waits while there is no connection: what the client library
   * would send later by itself is not sent at all. Throws what is not transient, `closed`, `log_failed`
   * when the stream does not exist, and `unreachable` when there is no answer in time. A write may then have been stored all the same.
   */
  insist<Result>(call: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Between two tries of a call. */
const retryMs = [5, 20, 50, 100, 250]

/** How long a call is tried. The election of a leader takes up to nine seconds. */
const patienceMs = 10_000

/** Connects to NATS. Throws `unreachable` or `login_refused`. */
export const openLink = async ({
  servers,
  connection: more = {},
}: NatsOptions): Promise<NatsLink> => {
  const connection = await dial({ ...reconnectOptions, ...more, servers: [...servers] })
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2000 })
  const client = jetstream(connection, { timeout: 2000 })
  const closing = new AbortController()
  const calls = createPendingCalls()
  let isConnected = true
  let isRefused = false
  let disconnects = 0
  let back = Promise.withResolvers<void>()

  const setConnected = (value: boolean): void => {
    if (value === isConnected) return
    isConnected = value
    if (value) back.resolve()
    else back = Promise.withResolvers()
    if (!value) disconnects += 1
  }
  const setRefused = (value: boolean): void => {
    isRefused = value
  }
  void followStatus(connection, { setConnected, setRefused })

  /** Waits for a time, or for the connection. Throws `closed`. */
  const pause = async (ms: number): Promise<void> => {
    const timer = new AbortController()
    const signal = AbortSignal.any([timer.signal, closing.signal])
    const waited = delay(ms, undefined, { signal }).catch(() => {})
    await (isConnected ? waited : Promise.race([waited, back.promise]))
    timer.abort()
    if (closing.signal.aborted) throw closedLog()
  }

  const run = async <Result>(
    call: () => Promise<Result>,
    pending: PendingCall,
  ): Promise<Result> => {
    const start = performance.now()
    const end = start + patienceMs
    let last: unknown
    for (let tries = 0; ; tries += 1) {
      if (closing.signal.aborted) throw closedLog()
      if (isConnected)
        try {
          return await call()
        } catch (cause) {
          if (closing.signal.aborted) throw closedLog()
          if (!mayPass(cause, performance.now() - start)) throw refusedCall(cause)
          last = cause
        }
      pending.hasFailed = true
      const left = end - performance.now()
      if (left <= 0) throw unanswered(servers, last)
      await pause(isConnected ? (retryMs[Math.min(tries, retryMs.length - 1)] ?? 250) : left)
    }
  }

  return {
    connection,
    client,
    manager,
    calls,
    isConnected: () => isConnected,
    isRefused: () => isRefused,
    disconnects: () => disconnects,
    async insist(call) {
      const pending = calls.add()
      try {
        return await run(call, pending)
      } finally {
        calls.remove(pending)
      }
    },
    async close() {
      closing.abort()
      await connection.close()
    },
  }
}

interface LinkState {
  setConnected(value: boolean): void
  setRefused(value: boolean): void
}

const followStatus = async (
  connection: NatsConnection,
  { setConnected, setRefused }: LinkState,
): Promise<void> => {
  for await (const status of connection.status()) {
    const { type } = status
    if (type === 'disconnect' || type === 'staleConnection') setConnected(false)
    if (type === 'reconnect') setConnected(true)
    if (isLoginRefused(status)) setRefused(true)
    if (type === 'reconnect') setRefused(false)
  }
  setConnected(false)
}

const unanswered = (servers: readonly string[], cause: unknown): LogFault => {
  const message = `NATS (${servers.join(', ')}) did not answer within ${patienceMs / 1000} seconds.`
  return new LogFault('unreachable', message, { cause })
}

/** How long a stream may be missing: after a restart of the servers, their leader may not know it at once. */
const missingMs = 3000

/** Whether a call that has failed for this long can still succeed. */
const mayPass = (cause: unknown, ms: number): boolean =>
  isStreamMissing(cause) ? ms < missingMs : serverErrorOf(cause) === 'transient'

const refusedCall = (cause: unknown): unknown =>
  isStreamMissing(cause)
    ? new LogFault('log_failed', 'A stream of Sluice was deleted from NATS.', { cause })
    : cause

const dial = async (options: ConnectionOptions): Promise<NatsConnection> => {
  try {
    return await connect({ ...options, waitOnFirstConnect: false })
  } catch (cause) {
    throw connectFault(cause, [options.servers].flat().join(', '))
  }
}
