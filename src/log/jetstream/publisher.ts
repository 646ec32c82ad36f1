import { JetStreamApiError } from '@nats-io/jetstream'
import {
  createInbox,
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node'

/**
 * Publishes to a stream and checks each answer. The library’s own `publish` makes a promise chain, a
 * timer and two errors with stack traces for each message, which is most of its cost. Here all messages
 * share one subscription and one timer.
 */
export interface Publisher {
  /**
   * Publishes a message and returns its number in the stream. Rejects with the error of the server, or
   * with a `TimeoutError` when there is no answer in time: then the message may be stored all the same.
   */
  publish(subject: string, body: Uint8Array, headers: MsgHdrs): Promise<number>
}

export interface PublisherOptions {
  /** How long a message may take. */
  timeoutMs: number
  /** Where answers are sent. Default: `_INBOX`. */
  inboxPrefix?: string | undefined
}

interface Waiting extends Pick<PromiseWithResolvers<number>, 'resolve' | 'reject'> {
  subject: string
  deadline: number
}

/** What a server answers to a publish. */
interface Answer {
  seq?: number
  error?: { code: number; err_code: number; description: string }
}

export const createPublisher = (
  connection: NatsConnection,
  { timeoutMs, inboxPrefix }: PublisherOptions,
): Publisher => {
  const inbox = `${createInbox(inboxPrefix)}.`
  /** By the number of the message, so that the oldest is the first. */
  const waiting = new Map<string, Waiting>()
  let count = 0
  let timer: NodeJS.Timeout | undefined

  const take = (token: string): Waiting | undefined => {
    const found = waiting.get(token)
    waiting.delete(token)
    return found
  }
  connection.subscribe(`${inbox}*`, {
    callback: (error, message) => {
      // Only a missing right ends a subscription: no answer can arrive any more.
      if (error) for (const token of waiting.keys()) take(token)?.reject(refused(error))
      else settle(take(message.subject.slice(inbox.length)), message)
    },
  })
  void rejectRefused(connection, waiting)

  const rejectLate = (): void => {
    timer = undefined
    const now = performance.now()
    for (const [token, { deadline }] of waiting) {
      if (deadline > now) {
        timer = setTimeout(rejectLate, deadline - now)
        return
      }
      take(token)?.reject(new errors.TimeoutError())
    }
  }

  return {
    publish(subject, body, headers) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      count += 1
      const token = String(count)
      waiting.set(token, { subject, resolve, reject, deadline: performance.now() + timeoutMs })
      if (timer === undefined) timer = setTimeout(rejectLate, timeoutMs)
      try {
        connection.publish(subject, body, { headers, reply: inbox + token })
      } catch (cause) {
        take(token)?.reject(cause)
      }
      return promise
    },
  }
}

const settle = (entry: Waiting | undefined, message: Msg): void => {
  if (!entry) return
  try {
    entry.resolve(streamSeqIn(entry.subject, message))
  } catch (cause) {
    entry.reject(cause)
  }
}

const streamSeqIn = (subject: string, message: Msg): number => {
  if (message.data.length === 0) throw new errors.NoRespondersError(subject)
  const { seq, error }: Answer = message.json()
  if (error) throw new JetStreamApiError(error)
  if (seq === undefined) throw new errors.ProtocolError(`unexpected answer: ${message.string()}`)
  return seq
}

/** A publish without the right to it gets no answer, only an error of the whole connection. */
const rejectRefused = async (
  connection: NatsConnection,
  waiting: Map<string, Waiting>,
): Promise<void> => {
  for await (const status of connection.status()) {
    if (status.type !== 'error') continue
    const { error } = status
    if (!(error instanceof errors.PermissionViolationError)) continue
    for (const [token, { subject, reject }] of waiting)
      if (subject === error.subject && waiting.delete(token)) reject(refused(error))
  }
}

const refused = (cause: Error): Error => new errors.RequestError(cause.message, { cause })
