import { randomUUID } from 'node:crypto'
import { errors, type Msg } from '@nats-io/transport-node'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import type { ObjectBodies } from '../log/jetstream/object-bodies.ts'
import type { Names } from '../log/jetstream/subjects.ts'
import { reasonOf } from '../shared/reason.ts'

/** Requests from one node to another, as JSON. */
export interface Peers {
  /** Sends a request once, and waits for the reply until the deadline or until `isGone` says so. */
  request(node: string, kind: string, payload: unknown, options: PeerOptions): Promise<PeerReply>
  /** Answers the requests of a kind. Returns how to end that. */
  serve(kind: string, handle: (payload: unknown) => Promise<unknown>): () => void
}

export interface PeerOptions {
  deadlineMs: number
  /** Aborts when no reply can come any more. */
  signal: AbortSignal
}

/**
 * What became of a request. Only after `unreachable` it is sure that nothing was done: the request
 * was not delivered.
 */
export type PeerReply =
  | { outcome: 'answered'; value: unknown }
  | { outcome: 'failed'; message: string }
  | { outcome: 'unreachable' | 'timed_out' | 'gone' }

export interface PeersOptions {
  node: string
  link: NatsLink
  names: Pick<Names, 'requestsTo'>
  objects: ObjectBodies
  onError(cause: unknown): void
}

/** A request or a reply: the JSON itself, or the name of the object with it. */
interface Envelope {
  value?: unknown
  object?: string
  error?: string
}

/** Room for the rest of the message. */
const headerRoom = 4096

export const createPeers = ({ node, link, names, objects, onError }: PeersOptions): Peers => {
  const { connection } = link

  /** What is too large for a message becomes an object that the receiver deletes. */
  const pack = async (value: unknown): Promise<{ body: string; object?: string }> => {
    const body = JSON.stringify({ value })
    const limit = (connection.info?.max_payload ?? 1_048_576) - headerRoom
    if (Buffer.byteLength(body) <= limit) return { body }
    const object = `request:${randomUUID()}`
    await objects.put(object, Buffer.from(body))
    return { object, body: JSON.stringify({ object }) }
  }
  const unpack = async (message: Msg): Promise<Envelope> => {
    const envelope: Envelope = message.json()
    if (envelope.object === undefined) return envelope
    const bytes = await objects.get(envelope.object)
    void objects.remove(envelope.object).catch(onError)
    if (!bytes) throw new Error('The body of a request from another node is missing.')
    return JSON.parse(Buffer.from(bytes).toString())
  }

  return {
    async request(to, kind, payload, { deadlineMs, signal }) {
      const { body, object } = await pack(payload)
      // The client library would send later by itself what it cannot send now.
      if (!link.isConnected()) return { outcome: 'unreachable' }
      const gone = Promise.withResolvers<PeerReply>()
      const onAbort = () => gone.resolve({ outcome: 'gone' })
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
      const subject = names.requestsTo(to, kind)
      const sent = connection.request(subject, body, { timeout: deadlineMs }).then(
        async (message) => replyIn(await unpack(message)),
        (cause: unknown) => lostReply(cause),
      )
      try {
        return await Promise.race([sent, gone.promise])
      } finally {
        signal.removeEventListener('abort', onAbort)
        sent.catch(onError)
        if (object !== undefined) void objects.remove(object).catch(onError)
      }
    },
    serve(kind, handle) {
      const answer = async (message: Msg): Promise<void> => {
        let reply: string
        try {
          const { value } = await unpack(message)
          reply = (await pack((await handle(value)) ?? null)).body
        } catch (cause) {
          onError(cause)
          reply = JSON.stringify({ error: reasonOf(cause) })
        }
        if (link.isConnected()) message.respond(reply)
      }
      const subscription = connection.subscribe(names.requestsTo(node, kind), {
        callback(error, message) {
          if (error) onError(error)
          else void answer(message)
        },
      })
      return () => subscription.unsubscribe()
    },
  }
}

const replyIn = ({ value, error }: Envelope): PeerReply =>
  error === undefined ? { outcome: 'answered', value } : { outcome: 'failed', message: error }

/** Why there is no reply. */
const lostReply = (cause: unknown): PeerReply => {
  if (cause instanceof errors.RequestError && cause.isNoResponders())
    return { outcome: 'unreachable' }
  if (cause instanceof errors.TimeoutError) return { outcome: 'timed_out' }
  // The connection was closed while the request was on its way.
  return { outcome: 'gone' }
}
