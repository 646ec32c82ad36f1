import {
  connect,
  errors,
  type Msg,
  type NatsConnection,
  type PublishOptions,
} from '@nats-io/transport-node'
import { natsOptionsOf } from '../../log/jetstream/nats-login.ts'
import { patience } from '../../log/jetstream/patience.ts'
import { isLoginRefused } from '../../log/jetstream/server-errors.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { BusReport } from '../bus.ts'

/** How a bus reaches NATS. */
export interface BusConnectionOptions {
  /** Addresses such as `nats://127.0.0.1:4222` or `tls://user:password@a:4222`. */
  servers: readonly string[]
  /** A file with NATS credentials, or with the seed of an nkey. */
  creds?: string | undefined
  /** The prefix of reply subjects. Default: that of the tenant, `_INBOX_<tenant>`. */
  inboxPrefix?: string | undefined
}

/** A connection that never stores what it cannot send. */
export interface BusConnection {
  readonly nats: NatsConnection
  isConnected(): boolean
  /** Publishes now, or reports why not and returns false. */
  publish(subject: string, body: string, options?: PublishOptions): boolean
  /** Subscribes. Returns a function that ends the subscription. */
  subscribe(subject: string, handle: (message: Msg) => void, queue?: string): () => void
  /** Sends what was published, for at most `ms`, then closes. */
  close(ms: number): Promise<void>
}

/** How many bytes may be on their way to a server that does not confirm them. */
const maxUnsentBytes = 16 * 1024 * 1024
/** Room for the headers of a message. */
const headerRoom = 4096

/** Connects to NATS. Rejects when no server answers. */
export const openBusConnection = async (
  options: BusConnectionOptions,
  report: (report: BusReport) => void,
): Promise<BusConnection> => {
  const nats = await dial(options)
  let isConnected = true
  let unsentBytes = 0
  let isFlushing = false
  let isLosing = false
  let isRefused = false

  const follow = async (): Promise<void> => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') isConnected = false
      if (status.type === 'reconnect') {
        isConnected = true
        isRefused = false
      }
      if (status.type !== 'error') continue
      // A login that is refused is tried again and again. It is reported once.
      const isKnown = isLoginRefused(status) && isRefused
      isRefused = isLoginRefused(status)
      if (!isKnown) report({ code: 'refused', error: status.error })
    }
    isConnected = false
  }
  void follow()

  const flush = (): void => {
    if (isFlushing) return
    isFlushing = true
    const sent = unsentBytes
    const done = () => {
      isFlushing = false
      unsentBytes -= sent
      if (unsentBytes > 0 && isConnected) flush()
    }
    // It rejects when the connection is lost: what was on its way is lost then.
    nats.flush().then(done, done)
  }
  const obstacle = (length: number) => {
    if (!isConnected || nats.isClosed()) return 'disconnected'
    if (length + headerRoom > (nats.info?.max_payload ?? 1_048_576)) return 'too_large'
    return unsentBytes > maxUnsentBytes ? 'slow_server' : undefined
  }

  return {
    nats,
    isConnected: () => isConnected && !nats.isClosed(),
    publish(subject, body, options) {
      const bytes = Buffer.from(body)
      const reason = obstacle(bytes.length)
      if (reason) {
        if (!isLosing || reason === 'too_large') report({ code: 'not_sent', subject, reason })
        if (reason !== 'too_large') isLosing = true
        return false
      }
      isLosing = false
      nats.publish(subject, bytes, options)
      unsentBytes += bytes.length
      flush()
      return true
    },
    subscribe(subject, handle, queue) {
      if (nats.isClosed()) return () => {}
      const subscription = nats.subscribe(subject, {
        ...(queue !== undefined && { queue }),
        callback(error, message) {
          if (error) report({ code: 'refused', error })
          else handle(message)
        },
      })
      return () => subscription.unsubscribe()
    },
    async close(ms) {
      const { promise: timeout, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      if (isConnected) await Promise.race([timeout, nats.flush().catch(() => {})])
      clearTimeout(timer)
      await nats.close()
    },
  }
}

/** How long the first connection may take, and the pause between two tries. */
const firstMs = 20_000
const retryMs = 250

/** A busy or starting server may miss the time of one dial, so it is tried again. */
const dial = async (options: BusConnectionOptions): Promise<NatsConnection> => {
  const end = performance.now() + firstMs
  for (;;)
    try {
      return await dialOnce(options)
    } catch (cause) {
      const isFinal = isRefusal(cause) || performance.now() > end
      if (isFinal) throw cause
      await new Promise((resolve) => {
        setTimeout(resolve, retryMs)
      })
    }
}

/** Whether a retry changes nothing: the login or its file is wrong. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof errors.AuthorizationError || cause instanceof LogFault

const dialOnce = async ({
  inboxPrefix,
  ...address
}: BusConnectionOptions): Promise<NatsConnection> => {
  const { servers, connection } = natsOptionsOf(address)
  return connect({
    ...{ ...patience, ...connection, servers: [...servers] },
    // Subscribers of this process get their messages directly.
    noEcho: true,
    ...(inboxPrefix !== undefined && { inboxPrefix }),
  })
}
