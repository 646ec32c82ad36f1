import type { ProblemDetails } from '../api/types.ts'

/** Codes of the failures that the client detects itself, each with its message. */
export const clientCodes = {
  unreachable: 'Cannot reach the server, or the connection broke.',
  timed_out: 'The server did not respond in time.',
  bad_answer: 'The server sent a response that this client cannot read.',
  closed: 'The server closed the stream.',
  silent: 'No data arrived for too long, so the connection counts as dead.',
  stale: 'The connection missed a heartbeat while the page was in the background.',
  frame_too_large: 'A frame of the stream is over the size limit.',
} as const
export type ClientCode = keyof typeof clientCodes

interface ApiErrorFields {
  status: number
  code: string
  detail: string
  retryAfter?: number | undefined
  problem?: ProblemDetails | undefined
  body?: unknown
  cause?: unknown
}

/** A call or a stream that failed. */
export class ApiError extends Error {
  /** The HTTP status; 0 when the server did not respond. */
  readonly status: number
  /** Stable, for programs: the code of the server’s problem, or one of `clientCodes`. */
  readonly code: string
  /** What went wrong, for people. */
  readonly detail: string
  /** How many seconds the server asks to wait before the next try. */
  readonly retryAfter: number | undefined
  /** The body of the response, when it is a problem (RFC 9457). */
  readonly problem: ProblemDetails | undefined
  /** The body of the response, when it is JSON. */
  readonly body: unknown
  constructor({ status, code, detail, retryAfter, problem, body, cause }: ApiErrorFields) {
    super(detail, { cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.detail = detail
    this.retryAfter = retryAfter
    this.problem = problem
    this.body = body
  }
}

/** A failure that the client detects itself. */
export const clientError = (code: ClientCode, cause?: unknown): ApiError =>
  new ApiError({ status: 0, code, detail: clientCodes[code], cause })
