import type { Frame, Message } from './message.ts'
import type { Call } from './request.ts'
import type { ApiError } from './scripts.ts'

/** The API of one provider: how a request is read, and how an answer of a script is written. */
export interface Dialect {
  /** Whether a request to this path is a model call. */
  answers(path: string): boolean
  /** Reads a model call; undefined if the body is not one. */
  read(body: string, path: string): Call | undefined
  /** The answer as a stream of server-sent events. */
  frames(message: Message): Iterable<Frame>
  /** The answer as one JSON body, for a call that does not stream. */
  whole(message: Message): object
  /** The body of an error response. */
  error(error: ApiError, status: number): object
  /** The event that ends a stream with an error; undefined if the provider closes the stream. */
  failure(error: ApiError): Frame | undefined
}
