import { LogFault, type LogFaultCode } from '../log/log-fault.ts'
import { Fault, type FaultCode } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'

/** The faults that callers can do something about. Every other error is internal. */
const problemByFault: Partial<Record<FaultCode | LogFaultCode, (detail: string) => Problem>> = {
  agent_not_found: (detail) => new Problem(422, 'agent_not_installed', detail),
  agent_not_started: (detail) => new Problem(409, 'agent_failed', detail, { state: 'idle' }),
  cwd_not_found: (detail) => new Problem(409, 'agent_failed', detail, { state: 'idle' }),
  project_not_trusted: (detail) =>
    new Problem(409, 'project_not_trusted', detail, { state: 'idle' }),
  budget_exceeded: (detail) => new Problem(409, 'budget_exceeded', detail, { state: 'idle' }),
  no_conversation: (detail) => new Problem(409, 'no_conversation', detail),
  unknown_conversation: (detail) => new Problem(404, 'unknown_conversation', detail),
  conversation_in_use: (detail) => new Problem(409, 'conversation_in_use', detail),
  no_fork_point: (detail) => new Problem(409, 'no_fork_point', detail),
  no_repository: (detail) => new Problem(422, 'no_repository', detail),
  uncommitted_changes: (detail) => new Problem(409, 'uncommitted_changes', detail),
  overlaps_data: (detail) => new Problem(422, 'overlaps_data', detail),
  start_not_supported: (detail) => new Problem(422, 'not_supported', detail),
  too_many_sessions: (detail) =>
    new Problem(429, 'too_many_sessions', detail, { retryAfter: 30 }, { 'Retry-After': '30' }),
  unknown_session: (detail) => new Problem(404, 'unknown_session', detail),
  disk_full: (detail) =>
    new Problem(507, 'disk_full', detail, { retryAfter: 30 }, { 'Retry-After': '30' }),
  session_read_only: (detail) => new Problem(409, 'session_read_only', detail),
  not_watched: (detail) => new Problem(409, 'not_watched', detail),
  agent_running: (detail) => new Problem(409, 'agent_running', detail),
  presence_unknown: (detail) => new Problem(409, 'presence_unknown', detail),
  session_watched: (detail) => new Problem(409, 'session_watched', detail),
  prices_unreadable: (detail) => new Problem(409, 'prices_unreadable', detail),
  damaged: (detail) => new Problem(409, 'session_damaged', detail),
  unreachable: (detail) =>
    new Problem(503, 'log_unreachable', detail, { retryAfter: 5 }, { 'Retry-After': '5' }),
  owned_elsewhere: moved,
  session_closing: moved,
  owner_unreachable: (detail) =>
    new Problem(503, 'no_owner', detail, { retryAfter: 5 }, { 'Retry-After': '5' }),
  fenced: (detail) =>
    new Problem(503, 'no_owner', detail, { retryAfter: 5 }, { 'Retry-After': '5' }),
  command_exists: () =>
    new Problem(409, 'request_running', sameKey, { retryAfter: 1 }, { 'Retry-After': '1' }),
  write_failed: logFailed,
  log_failed: logFailed,
  closed: () => stopping(),
}

const sameKey =
  'An earlier request with this Idempotency-Key is being stored. Send it again later, with the same key.'

const noSpace = 'The disk of the server is full. Free some space, then send the request again.'

/** Whether a file could not be written because the disk is full. */
const isNoSpace = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')

/** Nothing was done, and the session can be loaded again, perhaps on another node. */
function moved(detail: string): Problem {
  const extra = { retryAfter: 1, state: 'moved' }
  return new Problem(503, 'no_owner', detail, extra, { 'Retry-After': '1' })
}

function logFailed(detail: string): Problem {
  return new Problem(503, 'log_failed', detail, { retryAfter: 5 }, { 'Retry-After': '5' })
}

/** The problem of a request that arrives while the server stops. */
export const stopping = (): Problem =>
  new Problem(
    503,
    'stopping',
    'The server is stopping. Retry in 2 seconds.',
    { retryAfter: 2 },
    { 'Retry-After': '2', Connection: 'close' },
  )

/** The problem for a fault; undefined when the fault is internal. */
export const problemOfFault = (
  code: FaultCode | LogFaultCode | undefined,
  detail: string,
): Problem | undefined => (code === undefined ? undefined : problemByFault[code]?.(detail))

/** The problem to send for an error. Unexpected errors go to `onError`, and callers see no details. */
export const problemOf = (cause: unknown, onError: (cause: unknown) => void): Problem => {
  if (cause instanceof Problem) return cause
  const problem =
    cause instanceof Fault || cause instanceof LogFault
      ? problemOfFault(cause.code, cause.message)
      : undefined
  if (problem) return problem
  if (isNoSpace(cause)) return new Problem(507, 'disk_full', noSpace)
  onError(cause)
  return new Problem(500, 'internal', 'The server failed. See its log for the cause.')
}
