import { type ProblemCode, problems } from '../../shared/problem.ts'
import type { Route } from '../routes/route.ts'

/** Refusals that every route may give. */
const usual: readonly ProblemCode[] = [
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

/** The codes of all refusals of a route, by their status. */
export const refusalsOf = (route: Route): [status: number, codes: ProblemCode[]][] => {
  const { params, query, body } = route.parts
  const codes = new Set<ProblemCode>([
    ...usual,
    ...(route.scope === null ? [] : withToken),
    ...(params || query ? (['invalid'] as const) : []),
    ...(body ? withBody : []),
    ...(route.isIdempotent ? (['idempotency_mismatch'] as const) : []),
    ...(route.problems ?? []),
  ])
  const byStatus = Map.groupBy(codes, (code) => problems[code].status)
  return [...byStatus].sort(([left], [right]) => left - right)
}
