/** Every refusal by its stable code, with its usual status and what it means. */
export const problems = {
  bad_request: { status: 400, title: 'The request cannot be read.' },
  bad_json: { status: 400, title: 'The body is not JSON.' },
  token_missing: { status: 401, title: 'A token is needed.' },
  token_invalid: { status: 401, title: 'The token is not valid.' },
  token_expired: { status: 401, title: 'The token has expired.' },
  key_revoked: { status: 401, title: 'The key was revoked.' },
  wrong_scope: { status: 403, title: 'The token does not allow this.' },
  foreign_host: { status: 403, title: 'The server is not known by this host name.' },
  foreign_origin: { status: 403, title: 'Pages of this origin may not ask.' },
  path_outside_roots: { status: 403, title: 'The directory is not under an allowed root.' },
  not_found: { status: 404, title: 'There is nothing here.' },
  unknown_session: { status: 404, title: 'There is no such session.' },
  unknown_project: { status: 404, title: 'There is no such project.' },
  unknown_approval: { status: 404, title: 'There is no such approval.' },
  unknown_blob: { status: 404, title: 'There is no such blob.' },
  unknown_key: { status: 404, title: 'There is no such key.' },
  method_not_allowed: { status: 405, title: 'This method is not offered here.' },
  request_timeout: { status: 408, title: 'The request took too long to arrive.' },
  agent_busy: { status: 409, title: 'The agent is working.' },
  agent_refused: { status: 409, title: 'The agent refused.' },
  agent_failed: { status: 409, title: 'The agent did not start, or is gone.' },
  approval_resolved: { status: 409, title: 'The approval was decided already.' },
  gone: { status: 410, title: 'It was there and is no more.' },
  too_large: { status: 413, title: 'The body is too large.' },
  not_json: { status: 415, title: 'The body must be JSON.' },
  invalid: { status: 422, title: 'The request does not fit its schema.' },
  not_a_directory: { status: 422, title: 'The path is not a directory.' },
  agent_not_installed: { status: 422, title: 'The agent is not installed.' },
  not_supported: { status: 422, title: 'The agent cannot do this.' },
  idempotency_mismatch: { status: 422, title: 'The Idempotency-Key came with another body.' },
  rate_limited: { status: 429, title: 'Too many requests.' },
  too_many_sessions: { status: 429, title: 'Too many sessions are open.' },
  too_many_connections: { status: 429, title: 'Too many connections are open.' },
  headers_too_large: { status: 431, title: 'The headers are too large.' },
  internal: { status: 500, title: 'The server failed.' },
  overloaded: { status: 503, title: 'Too many large bodies come at once.' },
  stopping: { status: 503, title: 'The server is about to stop.' },
} as const satisfies Record<string, { status: number; title: string }>
export type ProblemCode = keyof typeof problems

export const problemType = 'application/problem+json'

/** A refusal, as RFC 9457 problem details. Its code is stable; its words may change. */
export class Problem extends Error {
  readonly status: number
  readonly code: ProblemCode
  readonly extra: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  constructor(
    status: number,
    code: ProblemCode,
    detail: string,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.extra = extra
    this.headers = headers
  }
}

/** The body of the answer. */
export const problemBody = ({ status, code, message, extra }: Problem) => ({
  type: `/api/docs#${code}`,
  title: problems[code].title,
  status,
  code,
  detail: message,
  ...extra,
})

/** The headers of the answer. */
export const problemHeaders = ({ headers }: Problem): Record<string, string> => ({
  'Content-Type': problemType,
  'Cache-Control': 'no-store',
  ...headers,
})
