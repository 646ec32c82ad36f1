import { type ProblemCode, problems } from '../../shared/problem.ts'
import { needsLog } from '../endpoints.ts'
import type { RouteDescription } from '../routes/route.ts'

const ofEveryRoute: readonly ProblemCode[] = [
  'bad_request',
  'foreign_host',
  'foreign_origin',
  'request_timeout',
  'headers_too_large',
  'internal',
  'stopping',
]
const withToken: readonly ProblemCode[] = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'key_revoked',
  'key_expired',
  'key_limited',
  'wrong_scope',
  'rate_limited',
]
const withBody: readonly ProblemCode[] = [
  'bad_json',
  'too_large',
  'not_json',
  'invalid',
  'overloaded',
]

/** The codes of all problems that a route can respond with, by status. */
export const routeProblems = (
  route: RouteDescription,
): [status: number, codes: ProblemCode[]][] => {
  const { params, query, body } = route.parts
  const codes = new Set<ProblemCode>([
    ...ofEveryRoute,
    ...(route.endpoint.scope === null ? [] : withToken),
    ...(needsLog(route.endpoint) ? (['disk_full', 'log_failed', 'log_unreachable'] as const) : []),
    ...(params || query ? (['invalid'] as const) : []),
    ...(body ? withBody : []),
    ...(route.isIdempotent ? (['idempotency_mismatch', 'request_running'] as const) : []),
    ...(route.problems ?? []),
  ])
  const byStatus = Map.groupBy(codes, (code) => problems[code].status)
  return [...byStatus].sort(([left], [right]) => left - right)
}
