import type { RetryReason } from '../events/retry-reasons.ts'
import { defined } from '../shared/fields.ts'

/** What an agent reports about a failed model call. */
export interface FailedCall {
  /** The error in the agent’s own words. */
  error: string | undefined
  /** The HTTP status; null if there was no response, undefined if the agent does not report it. */
  status?: number | null | undefined
}

/** The reason of a retry as one word for all agents, with the agent’s own words beside it. */
export const retryReasonOf = ({
  error,
  status,
}: FailedCall): { reason: RetryReason; rawReason?: string } => ({
  reason: reasonOfCall(error ?? '', status),
  ...defined({ rawReason: error }),
})

const reasonOfCall = (error: string, status: FailedCall['status']): RetryReason => {
  // Pi puts the status in front of the provider’s response.
  const code = status ?? Number(/^(\d{3})\b/.exec(error)?.[1])
  const found = reasonOfStatus(code) ?? rules.find(([pattern]) => pattern.test(error))?.[1]
  return found ?? (status === null ? 'network' : 'unknown')
}

const reasonOfStatus = (status: number): RetryReason | undefined =>
  statuses[status] ?? (status >= 500 && status <= 599 ? 'server_error' : undefined)

const statuses: Readonly<Record<number, RetryReason>> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  413: 'invalid_request',
  422: 'invalid_request',
  429: 'rate_limit',
  504: 'timeout',
  529: 'overloaded',
}

/** Tried in this order: the names of providers and agents, then the messages of HTTP clients. */
const rules: readonly (readonly [RegExp, RetryReason])[] = [
  [/overloaded|at capacity|high demand/i, 'overloaded'],
  [/rate.?limit|too many requests|resource.?exhausted/i, 'rate_limit'],
  [/authentication|unauthori[sz]ed|api.?key/i, 'authentication'],
  [/permission|forbidden/i, 'permission'],
  [/billing|credit|payment|quota/i, 'billing'],
  [/not.?found/i, 'not_found'],
  [/invalid.?request/i, 'invalid_request'],
  [/time.?out|timed out|ETIMEDOUT/i, 'timeout'],
  [
    /network|connection|connect |fetch failed|socket|terminated|other side closed|premature|stream ended|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN/i,
    'network',
  ],
  [/server.?error|api_error|internal error|unavailable|bad gateway/i, 'server_error'],
]
