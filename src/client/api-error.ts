import type { ProblemDetails } from '../api/types.ts'

/** What the client itself says where there was no answer, or none that can be read. */
export const clientCodes = {
  unreachable: 'The server cannot be reached, or the connection broke.',
  timed_out: 'No answer in time.',
  bad_answer: 'The answer is not what the server promises.',
  closed: 'The server closed the stream.',
  silent: 'Nothing came for too long: the connection is taken for dead.',
  stale: 'A heartbeat was missing when the tab woke.',
  frame_too_large: 'One frame of the stream is over the limit.',
} as const
export type ClientCode = keyof typeof clientCodes

interface About {
  status: number
  code: string
  detail: string
  retryAfter?: number | undefined
  problem?: ProblemDetails | undefined
  cause?: unknown
}

/** A call or a stream that failed. */
export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number
  /** Stable, for programs: the server’s, or one of `clientCodes`. */
  readonly code: string
  /** For people. */
  readonly detail: string
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | undefined
  /** The whole answer, where it was a problem. */
  readonly problem: ProblemDetails | undefined
  constructor({ status, code, detail, retryAfter, problem, cause }: About) {
    super(detail, { cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.detail = detail
    this.retryAfter = retryAfter
    this.problem = problem
  }
}

/** A failure without an answer. */
export const clientError = (code: ClientCode, cause?: unknown): ApiError =>
  new ApiError({ status: 0, code, detail: clientCodes[code], cause })
