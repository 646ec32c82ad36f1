import type { Pattern } from './pattern.ts'
import type {
  BusMessage,
  EventSubject,
  PayloadOf,
  RequestOf,
  ResponseOf,
  RpcSubject,
} from './subjects/table.ts'

/**
 * Publish and subscribe, request and respond, by subject. Payloads are checked against the table of
 * subjects: an unknown subject or an invalid payload is a programming error and throws. All
 * subscribers receive the same payload object and must not change it.
 */
export interface Bus {
  /** Sends a message to all subscribers, in the order of the calls, after this call returns. */
  emit<Subject extends EventSubject>(subject: Subject, payload: PayloadOf<Subject>): void
  /**
   * Subscribes to the subjects that match a pattern. A handler that returns a promise gets its next
   * message when the promise settles. Returns a function that ends the subscription.
   */
  on<Wanted extends Pattern>(
    pattern: Wanted,
    handler: Handler<Wanted>,
    options?: SubscribeOptions,
  ): () => void
  /** Whether a subject has subscribers. What is costly to make need not be emitted to nobody. */
  isWanted(subject: EventSubject): boolean
  /** Sends a request. Always resolves with how it ended; rejects only for an invalid payload. */
  request<Subject extends RpcSubject>(
    subject: Subject,
    payload: RequestOf<Subject>,
    options?: RequestOptions,
  ): Promise<BusReply<ResponseOf<Subject>>>
  /**
   * Answers the requests of a subject. Throws if the subject already has a responder. Returns a
   * function that removes this one.
   */
  respond<Subject extends RpcSubject>(subject: Subject, responder: Responder<Subject>): () => void
  /**
   * Ends open requests with `closed`, delivers the messages that were emitted before, then ends all
   * subscriptions. Waits at most a second for slow handlers.
   */
  close(): Promise<void>
}

/** The messages of a pattern: one kind for a full subject, any kind for a wildcard. */
export type MessageFor<Wanted extends Pattern> = Extract<
  BusMessage,
  { subject: Wanted extends EventSubject ? Wanted : EventSubject }
>

/** Handles messages, at once or asynchronously. */
export type Handler<Wanted extends Pattern> = (message: MessageFor<Wanted>) => void | Promise<void>

/** Returns the response to a request, at once or asynchronously. */
export type Responder<Subject extends RpcSubject> = (
  request: RequestOf<Subject>,
  context: RequestContext,
) => ResponseOf<Subject> | Promise<ResponseOf<Subject>>

/** What a responder knows about the request. */
export interface RequestContext {
  /** How long the requester waits, in milliseconds. */
  deadlineMs: number
  /** Aborted when the requester stops waiting; the reason is the outcome. */
  signal: AbortSignal
}

/** How a request ended. An approval counts every outcome except `answered` as a denial. */
export type BusReply<Value> =
  | { outcome: 'answered'; value: Value }
  /** The responder threw, or its response does not match the schema. */
  | { outcome: 'failed'; message: string }
  /** `closed`: the bus closed first, or the requester’s signal was aborted. */
  | { outcome: 'no_responder' | 'timed_out' | 'closed' }

export interface RequestOptions {
  /** How long to wait for the response, in milliseconds. One minute by default. */
  deadlineMs?: number
  /** Cancels the request. */
  signal?: AbortSignal
}

export interface SubscribeOptions {
  /** How many messages may wait for the handler. One more ends the subscription. */
  limit?: number
  /** The subscription ended. Up to here no message is missing; no more will come. */
  onEnd?(reason: SubscriptionEnd): void
}

/** Why a subscription ended, other than by its own function. */
export type SubscriptionEnd = 'slow_subscriber' | 'closed'

/** An error on the bus that has no caller to go to. */
export type BusReport =
  | { code: 'handler_failed'; pattern: string; subject?: string; error: unknown }
  | { code: 'responder_failed'; subject: string; error: unknown }
  | { code: 'slow_subscriber'; pattern: string; limit: number }
  /** Another program sent something that does not match the schema of its subject. It was dropped. */
  | { code: 'invalid_message'; subject: string; error: unknown }
  /** A message did not reach other processes. Reported once until messages are sent again. */
  | { code: 'not_sent'; subject: string; reason: 'disconnected' | 'too_large' | 'slow_server' }
  /** The server refused something, for example because the user may not use a subject. */
  | { code: 'refused'; error: unknown }
