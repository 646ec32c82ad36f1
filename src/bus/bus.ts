import type { Pattern } from './pattern.ts'
import type {
  BusMessage,
  EventSubject,
  PayloadOf,
  RequestOf,
  ResponseOf,
  RpcSubject,
} from './subjects/table.ts'

/** What a pattern brings: one kind of message for a whole subject, any for a wildcard. */
export type MessageFor<Wanted extends Pattern> = Extract<
  BusMessage,
  { subject: Wanted extends EventSubject ? Wanted : EventSubject }
>

/** How a request ended. Whoever asked for leave takes all but an answer for a no. */
export type BusReply<Value> =
  | { outcome: 'answered'; value: Value }
  /** The responder threw, or its response does not fit the schema. */
  | { outcome: 'failed'; message: string }
  /** `closed`: the bus closed first, or the asker’s signal took the question back. */
  | { outcome: 'no_responder' | 'timed_out' | 'closed' }

/** Why a subscription ended without its undo. */
export type SubscriptionEnd = 'slow_subscriber' | 'closed'

/** How one wants to listen. */
export interface SubscribeOptions {
  /** Messages that may wait for the handler; one more ends the subscription. */
  limit?: number
  /** The subscription is over; what was delivered has no hole, and nothing more comes. */
  onEnd?(reason: SubscriptionEnd): void
}

/** How long one wants to ask. */
export interface RequestOptions {
  /** How long to wait for the answer. */
  deadlineMs?: number
  /** Takes the question back. */
  signal?: AbortSignal
}

/** What a responder knows of whoever asked. */
export interface RequestContext {
  /** How long whoever asked will wait. */
  deadlineMs: number
  /** Aborted when the answer is no longer waited for; its reason is the outcome. */
  signal: AbortSignal
}

/** Takes messages; one that returns a promise is waited for. */
export type Handler<Wanted extends Pattern> = (message: MessageFor<Wanted>) => void | Promise<void>

/** Gives the answer to a request, at once or later. */
export type Responder<Subject extends RpcSubject> = (
  request: RequestOf<Subject>,
  question: RequestContext,
) => ResponseOf<Subject> | Promise<ResponseOf<Subject>>

/** What went wrong on a bus and has nobody else to be told to. */
export type BusReport =
  | { code: 'handler_failed'; pattern: string; subject?: string; error: unknown }
  | { code: 'responder_failed'; subject: string; error: unknown }
  | { code: 'slow_subscriber'; pattern: string; limit: number }

/**
 * Tells and asks by subject. Payloads are checked against the table of subjects; one that does
 * not fit, or a subject that is not in the table, is a mistake of the caller and thrown. Payloads
 * are shared by all who get them and must not be changed.
 */
export interface Bus {
  /** Tells all who listen, in the order of the calls, and never inside of the call. */
  emit<Subject extends EventSubject>(subject: Subject, payload: PayloadOf<Subject>): void
  /** Listens; a handler’s promise is waited for before its next message. Returns its undo. */
  on<Wanted extends Pattern>(
    pattern: Wanted,
    handler: Handler<Wanted>,
    options?: SubscribeOptions,
  ): () => void
  /** Asks the responder. Always ends, and says how; rejects only for a wrong payload. */
  request<Subject extends RpcSubject>(
    subject: Subject,
    payload: RequestOf<Subject>,
    options?: RequestOptions,
  ): Promise<BusReply<ResponseOf<Subject>>>
  /** Answers. A subject has one responder at a time; a second one throws. Returns its undo. */
  respond<Subject extends RpcSubject>(subject: Subject, responder: Responder<Subject>): () => void
  /**
   * Ends open requests with `closed` at once, delivers what was told before, then ends every
   * subscription. A handler that is too slow for that is not waited for longer than a second.
   */
  close(): Promise<void>
}
