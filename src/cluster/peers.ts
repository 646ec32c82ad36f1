import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { errors, type Msg } from '@nats-io/transport-node'
import { z } from 'zod'
import type { NatsLink } from '../log/jetstream/nats-link.ts'
import type { ObjectBodies } from '../log/jetstream/object-bodies.ts'
import type { Names } from '../log/jetstream/subjects.ts'
import { rarely } from '../shared/rarely.ts'
import { reasonOf } from '../shared/reason.ts'
import { createReplyBook, type KnownReply } from './reply-book.ts'

/** Requests from one node to another, as JSON. */
export interface Peers {
  /**
   * Sends a request once, and waits for the reply until the deadline or until `signal` aborts. A reply that
   * got lost with a connection is asked for again.
   */
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
 * was not delivered. `gone`: the node was lost. `lost`: it has replied, and the reply is lost.
 */
export type PeerReply =
  | { outcome: 'answered'; value: unknown }
  | { outcome: 'failed'; message: string }
  | { outcome: 'unreachable' | 'timed_out' | 'gone' | 'lost' }

export interface PeersOptions {
  node: string
  link: NatsLink
  names: Pick<Names, 'requestsTo'>
  objects: ObjectBodies
  onError(cause: unknown): void
}

/** A request or a reply: the JSON itself, or the name of the object with it. */
const envelopeSchema = z.object({
  /** Names a request. Absent from an older version. */
  id: z.string().optional(),
  value: z.unknown().optional(),
  object: z.string().optional(),
  error: z.string().optional(),
})
type Envelope = z.infer<typeof envelopeSchema>

/** Room for the rest of the message. */
const headerRoom = 4096

/** The kind of requests for a reply that may be lost. */
const replyKind = 'reply'
/** How often a node is asked what became of a request. */
const askMs = 1000

export const createPeers = (options: PeersOptions): Peers => {
  const { node, link, names, objects, onError } = options
  const { connection } = link
  const replies = createReplyBook()
  const { fits, pack, unpack } = createEnvelopes(options)
  const ask = createAsker(options, unpack)
  /** Sends a request, and waits for its reply. */
  const send = async (subject: string, body: string, timeout: number): Promise<PeerReply> => {
    let message: Msg
    try {
      message = await connection.request(subject, body, { timeout })
    } catch (cause) {
      return lostReply(cause)
    }
    try {
      return replyIn(await unpack(message.json()))
    } catch (cause) {
      onError(cause)
      return { outcome: 'lost' }
    }
  }
  /** Runs a request, and returns what is sent back. */
  const replyTo = async (envelope: Envelope, handle: Handle): Promise<string> => {
    try {
      const { value } = await unpack(envelope)
      return (await pack((await handle(value)) ?? null)).body
    } catch (cause) {
      onError(cause)
      return JSON.stringify({ error: reasonOf(cause) })
    }
  }
  // Any program with the rights of the tenant can send what is none.
  const reportForeign = rarely(onError)
  const answer = async (message: Msg, handle: Handle): Promise<void> => {
    const envelope = envelopeIn(message)
    if (!envelope) return reportForeign(foreignMessage(message))
    const { id } = envelope
    const run = () => replyTo(envelope, handle)
    const reply = id === undefined ? await run() : await replies.run(id, run)
    if (reply !== undefined && link.isConnected()) message.respond(reply)
  }
  const listen = (kind: string, onMessage: (message: Msg) => void) =>
    connection.subscribe(names.requestsTo(node, kind), {
      callback(error, message) {
        if (error) onError(error)
        else onMessage(message)
      },
    })
  listen(replyKind, (message) => {
    const known = JSON.stringify(replies.replyTo(message.string()))
    // As text in JSON, a reply can be larger than it was.
    const forgotten: KnownReply = { state: 'forgotten' }
    message.respond(fits(known) ? known : JSON.stringify(forgotten))
  })

  return {
    async request(to, kind, payload, { deadlineMs, signal }) {
      const id = randomUUID()
      const { body, object } = await pack(payload, id)
      const gone = Promise.withResolvers<PeerReply>()
      const onAbort = () => gone.resolve({ outcome: 'gone' })
      const over = new AbortController()
      try {
        // The client library would send later by itself what it cannot send now.
        if (!link.isConnected()) return { outcome: 'unreachable' }
        signal.addEventListener('abort', onAbort)
        if (signal.aborted) onAbort()
        const sent = send(names.requestsTo(to, kind), body, deadlineMs)
        const asked = ask(to, id, over.signal)
        asked.catch(() => {}) // it is aborted in the end
        return await Promise.race([sent, gone.promise, asked])
      } finally {
        over.abort()
        signal.removeEventListener('abort', onAbort)
        if (object !== undefined) void objects.remove(object).catch(onError)
      }
    },
    serve(kind, handle) {
      const subscription = listen(kind, (message) => void answer(message, handle).catch(onError))
      return () => subscription.unsubscribe()
    },
  }
}

type Handle = (payload: unknown) => Promise<unknown>

/** Puts requests and replies into messages. */
const createEnvelopes = ({ link, objects, onError }: PeersOptions) => {
  const fits = (body: string): boolean =>
    Buffer.byteLength(body) <= (link.connection.info?.max_payload ?? 1_048_576) - headerRoom
  return {
    /** Whether a text fits into a message. */
    fits,
    /** What is too large for a message becomes an object that the receiver deletes. */
    async pack(value: unknown, id?: string): Promise<{ body: string; object?: string }> {
      const body = JSON.stringify({ id, value })
      if (fits(body)) return { body }
      const object = `request:${randomUUID()}`
      await objects.put(object, Buffer.from(body))
      return { object, body: JSON.stringify({ id, object }) }
    },
    async unpack(envelope: Envelope): Promise<Envelope> {
      if (envelope.object === undefined) return envelope
      const bytes = await objects.get(envelope.object)
      void objects.remove(envelope.object).catch(onError)
      if (!bytes) throw new Error('The body of a message from another node is missing.')
      return JSON.parse(Buffer.from(bytes).toString())
    },
  }
}

/** Asks for the reply to a request again and again: the first one may get lost with a connection. */
const createAsker = (
  { link, names }: Pick<PeersOptions, 'link' | 'names'>,
  unpack: (envelope: Envelope) => Promise<Envelope>,
) => {
  /** Undefined: the node cannot be asked now, or has an older version. */
  const askOnce = async (to: string, id: string): Promise<KnownReply | undefined> => {
    if (!link.isConnected()) return undefined
    try {
      const subject = names.requestsTo(to, replyKind)
      return (await link.connection.request(subject, id, { timeout: askMs })).json()
    } catch {
      return undefined
    }
  }
  return async (to: string, id: string, over: AbortSignal): Promise<PeerReply> => {
    let isForgotten = false
    for (;;) {
      await delay(askMs, undefined, { signal: over })
      const known = await askOnce(to, id)
      if (known?.state === 'refused') return { outcome: 'unreachable' }
      // The first time, the reply itself may still be on its way.
      if (known?.state === 'forgotten' && isForgotten) return { outcome: 'lost' }
      isForgotten ||= known?.state === 'forgotten'
      if (known?.state !== 'done') continue
      // What is too large for a message may have been taken by the reply itself.
      const reply = await unpack(JSON.parse(known.reply)).catch(() => undefined)
      if (reply) return replyIn(reply)
    }
  }
}

const envelopeIn = (message: Msg): Envelope | undefined => {
  try {
    return envelopeSchema.safeParse(message.json()).data
  } catch {
    return undefined
  }
}

const foreignMessage = ({ subject }: Msg): Error =>
  new Error(`A message on ${subject} is no request of a node, and was ignored.`)

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
