import { shortened } from './shortened.ts'

/** Every problem by its stable code, with its usual status and a title for people. */
export const problems = {
  bad_request: { status: 400, title: 'The request is not valid HTTP.' },
  bad_json: { status: 400, title: 'The body is not valid JSON.' },
  token_missing: { status: 401, title: 'The request has no token.' },
  token_invalid: { status: 401, title: 'The token is not valid.' },
  token_expired: { status: 401, title: 'The token has expired.' },
  key_revoked: { status: 401, title: 'The API key was revoked.' },
  key_expired: { status: 401, title: 'The API key has expired.' },
  browser_signed_out: { status: 401, title: 'This browser is not signed in any more.' },
  browser_expired: { status: 401, title: 'The pairing of this browser has expired.' },
  pairing_code_invalid: { status: 401, title: 'The pairing code is not valid.' },
  key_required: { status: 403, title: 'This request needs an API key.' },
  passkey_required: { status: 403, title: 'This server requires a passkey for this.' },
  wrong_scope: { status: 403, title: 'The token does not have the required scope.' },
  key_limited: { status: 403, title: 'The API key may not do this.' },
  foreign_host: { status: 403, title: 'Requests for this host are refused.' },
  foreign_origin: { status: 403, title: 'Requests from pages of this origin are refused.' },
  from_agent: { status: 403, title: 'Agents may not use the server.' },
  overlaps_data: { status: 422, title: 'The directory overlaps the data directory of the server.' },
  path_outside_roots: { status: 403, title: 'The directory is outside the allowed roots.' },
  not_found: { status: 404, title: 'There is nothing at this path.' },
  unknown_session: { status: 404, title: 'There is no such session.' },
  unknown_project: { status: 404, title: 'There is no such project.' },
  unknown_comparison: { status: 404, title: 'There is no such comparison.' },
  unknown_conversation: { status: 404, title: 'The agent has no such conversation.' },
  unknown_worktree: { status: 404, title: 'There is no such worktree.' },
  unknown_loop: { status: 404, title: 'There is no such loop.' },
  unknown_approval: { status: 404, title: 'There is no such approval.' },
  unknown_message: { status: 404, title: 'There is no such message in the queue.' },
  unknown_budget: { status: 404, title: 'There is no such budget.' },
  unknown_rule: { status: 404, title: 'There is no such rule.' },
  unknown_task: { status: 404, title: 'There is no such task.' },
  no_output: { status: 404, title: 'The output of the task cannot be read.' },
  unknown_blob: { status: 404, title: 'There is no such blob.' },
  unknown_passkey: { status: 404, title: 'There is no such passkey.' },
  unknown_browser: { status: 404, title: 'There is no such paired browser.' },
  unknown_node: { status: 404, title: 'There is no such node.' },
  unknown_key: { status: 404, title: 'There is no such API key.' },
  method_not_allowed: { status: 405, title: 'This path does not accept the method.' },
  request_timeout: { status: 408, title: 'The request took too long to arrive.' },
  agent_busy: { status: 409, title: 'The agent is already running.' },
  agent_refused: { status: 409, title: 'The agent refused the command.' },
  agent_failed: { status: 409, title: 'The agent did not start, or has exited.' },
  no_conversation: { status: 409, title: 'The session has no conversation yet.' },
  conversation_in_use: { status: 409, title: 'Another session has this conversation.' },
  no_fork_point: { status: 409, title: 'A copy cannot end before this message.' },
  message_sent: { status: 409, title: 'The agent already has the message.' },
  task_ended: { status: 409, title: 'The task has already ended.' },
  loop_over: { status: 409, title: 'A limit of the loop is still met.' },
  approval_resolved: { status: 409, title: 'The approval was already decided.' },
  approval_changed: { status: 409, title: 'The approval is not the one that was shown.' },
  project_not_trusted: {
    status: 409,
    title: 'The agent cannot start without the files of the directory.',
  },
  budget_exceeded: { status: 409, title: 'A limit is reached.' },
  budget_fixed: { status: 409, title: 'An option of the server set the budget.' },
  session_damaged: { status: 409, title: 'A part of the session cannot be read.' },
  session_read_only: { status: 409, title: 'The session was imported, and is read-only.' },
  not_watched: { status: 409, title: 'Sluice runs the agent of the session already.' },
  agent_running: { status: 409, title: 'The agent still runs outside Sluice.' },
  presence_unknown: {
    status: 409,
    title: 'The agent may still run outside Sluice.',
  },
  session_watched: { status: 409, title: 'The agent runs outside Sluice.' },
  project_changed: { status: 409, title: 'The files of the directory have changed.' },
  rules_unreadable: { status: 409, title: 'The stored rules cannot be read.' },
  prices_unreadable: { status: 409, title: 'The prices that were set here cannot be read.' },
  gone: { status: 410, title: 'The session was removed, or the approval has expired.' },
  uncommitted_changes: {
    status: 409,
    title: 'The directory has changes that are not committed.',
  },
  too_large: { status: 413, title: 'The body is too large.' },
  not_json: { status: 415, title: 'The body is not JSON.' },
  invalid: { status: 422, title: 'The request does not match its schema.' },
  rule_mismatch: { status: 422, title: 'The rule does not cover the approval.' },
  passkey_unavailable: { status: 422, title: 'Passkeys do not work here.' },
  not_a_directory: { status: 422, title: 'The path is not a directory.' },
  no_repository: { status: 422, title: 'The directory has no git repository that can be used.' },
  agent_not_installed: { status: 422, title: 'The agent is not installed.' },
  not_supported: { status: 422, title: 'The agent does not support this command.' },
  request_running: { status: 409, title: 'The same request still runs.' },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was already used with a different body.',
  },
  rate_limited: { status: 429, title: 'Too many requests.' },
  too_many_sessions: { status: 429, title: 'Too many agents are running.' },
  too_many_connections: { status: 429, title: 'Too many streams are open.' },
  quota_exceeded: { status: 429, title: 'The API key has used up its quota.' },
  headers_too_large: { status: 431, title: 'The headers are too large.' },
  internal: { status: 500, title: 'The server failed.' },
  disk_quota_exceeded: {
    status: 507,
    title: 'The sessions of the API key fill more of the disk than it may.',
  },
  disk_full: { status: 507, title: 'The disk of the server is full, or almost.' },
  log_failed: { status: 503, title: 'The server cannot store anything.' },
  log_unreachable: { status: 503, title: 'The cluster that stores everything does not answer.' },
  no_owner: { status: 503, title: 'No node can run this now.' },
  no_answer: { status: 504, title: 'The node that runs the session did not answer in time.' },
  overloaded: { status: 503, title: 'The server receives too many large bodies at once.' },
  stopping: { status: 503, title: 'The server is stopping.' },
} as const satisfies Record<string, { status: number; title: string }>
export type ProblemCode = keyof typeof problems

export const problemType = 'application/problem+json'

/** The reason why a request is refused, as problem details (RFC 9457). Only the code is stable. */
export class Problem extends Error {
  readonly status: number
  readonly code: ProblemCode
  /** Further fields of the body. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Further headers of the response. */
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

/** The most characters of a detail: it may name a path or an id that the caller sent. */
const maxDetailLength = 2000

/** The body of the response. */
export const problemBody = ({ status, code, message, extra }: Problem) => ({
  type: `/api/docs#${code}`,
  title: problems[code].title,
  status,
  code,
  detail: shortened(message, maxDetailLength),
  ...extra,
})

/** The headers of the response. */
export const problemHeaders = ({ headers }: Problem): Record<string, string> => ({
  'Content-Type': problemType,
  'Cache-Control': 'no-store',
  ...headers,
})
