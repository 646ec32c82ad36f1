import type { AgentEvent } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'

/** A `rate_limit_event` line; undefined if it has no status. */
export const rateLimitUpdate = (line: Fields): AgentEvent | undefined => {
  const info = fieldsOf(line.rate_limit_info)
  const status = stringOf(info.status)
  if (status === undefined) return undefined
  const resets = countOf(info.resetsAt)
  return {
    type: 'session_update',
    rateLimit: {
      status,
      ...defined({
        kind: stringOf(info.rateLimitType),
        resetsAt: resets === undefined ? undefined : Math.round(inMilliseconds(resets)),
        utilization: countOf(info.utilization),
      }),
    },
  }
}

/** A time in seconds or in milliseconds since 1970: versions of Claude Code differ. */
const inMilliseconds = (time: number): number => (time < 1e12 ? time * 1000 : time)
