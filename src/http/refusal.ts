import { LogFault, type LogFaultCode } from '../log/log-fault.ts'
import { Fault, type FaultCode } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'

/** What the world does, as callers are told of it. What is not here is our own mistake. */
const known: Partial<Record<FaultCode | LogFaultCode, (detail: string) => Problem>> = {
  agent_not_found: (detail) => new Problem(422, 'agent_not_installed', detail),
  agent_not_started: (detail) => new Problem(409, 'agent_failed', detail, { state: 'idle' }),
  cwd_not_found: (detail) => new Problem(409, 'agent_failed', detail, { state: 'idle' }),
  too_many_sessions: (detail) =>
    new Problem(429, 'too_many_sessions', detail, { retryAfter: 30 }, { 'Retry-After': '30' }),
  unknown_session: (detail) => new Problem(404, 'unknown_session', detail),
  closed: () => stopping(),
}

/** The refusal of everything while the server ends. */
export const stopping = (): Problem =>
  new Problem(
    503,
    'stopping',
    'The server is about to stop.',
    { retryAfter: 2 },
    { 'Retry-After': '2', Connection: 'close' },
  )

/** A fault of the world as a refusal; undefined where callers need not know of it. */
export const faultRefusal = (
  code: FaultCode | LogFaultCode | undefined,
  detail: string,
): Problem | undefined => (code === undefined ? undefined : known[code]?.(detail))

/** The answer to a failure. What was not foreseen is reported, and nothing of it is told. */
export const problemOf = (cause: unknown, report: (cause: unknown) => void): Problem => {
  if (cause instanceof Problem) return cause
  const refusal =
    cause instanceof Fault || cause instanceof LogFault
      ? faultRefusal(cause.code, cause.message)
      : undefined
  if (refusal) return refusal
  report(cause)
  return new Problem(500, 'internal', 'The server failed. Its log says more.')
}
