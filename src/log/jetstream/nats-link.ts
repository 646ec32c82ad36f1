import { setTimeout as delay } from 'node:timers/promises'
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { closedLog } from '../log-fault.ts'
import { patience } from './patience.ts'
import { serverErrorOf } from './server-errors.ts'
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
  isConnected(): boolean
  /**
   * Runs a call until the server answers. Waits while there is no connection: what the client library
   * would send later by itself is not sent at all. Throws what is not transient, and `closed`.
   */
  insist<Result>(call: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Between two tries of a call. */
const retryMs = [5, 20, 50, 100, 250]

/** Connects to NATS. Throws `unreachable` or `login_refused`. */
export const openLink = async ({
  servers,
  connection: more = {},
}: NatsOptions): Promise<NatsLink> => {
  const connection = await dial({ ...patience, ...more, servers: [...servers] })
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2000 })
  const client = jetstream(connection, { timeout: 2000 })
  const closing = new AbortController()
  let isConnected = true
  let back = Promise.resolve()
  let resolveBack = (): void => {}

  const setConnected = (value: boolean): void => {
    if (value === isConnected) return
    isConnected = value
    if (value) resolveBack()
    else
      back = new Promise((resolve) => {
        resolveBack = resolve
      })
  }
  const follow = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') setConnected(false)
      if (type === 'reconnect') setConnected(true)
    }
    setConnected(false)
  }
  void follow()

  const pause = async (ms: number): Promise<void> => {
    if (closing.signal.aborted) throw closedLog()
    await delay(ms, undefined, { signal: closing.signal }).catch(() => {
      throw closedLog()
    })
  }

  return {
    connection,
    client,
    manager,
    isConnected: () => isConnected,
    async insist(call) {
      for (let tries = 0; ; tries += 1) {
        if (!isConnected) await back
        if (closing.signal.aborted) throw closedLog()
        try {
          return await call()
        } catch (cause) {
          if (closing.signal.aborted) throw closedLog()
          if (serverErrorOf(cause) !== 'transient') throw cause
          await pause(retryMs[Math.min(tries, retryMs.length - 1)] ?? 250)
        }
      }
    },
    async close() {
      closing.abort()
      resolveBack()
      await connection.close()
    },
  }
}

const dial = async (options: ConnectionOptions): Promise<NatsConnection> => {
  try {
    return await connect({ ...options, waitOnFirstConnect: false })
  } catch (cause) {
    throw connectFault(cause, [options.servers].flat().join(', '))
  }
}
