import type { AgentEvent } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import { retryReasonOf } from '../retry-reason.ts'
import { delayFrom } from './wire.ts'

/** What a `session.created` or `session.updated` line says that readers do not have yet. */
export interface SessionDetailsTracker {
  changes(info: Fields): AgentEvent | undefined
}

export const createSessionDetails = (): SessionDetailsTracker => {
  let last: Record<string, string> = {}
  return {
    changes(info) {
      const now: Record<string, string> = defined({
        agentVersion: stringOf(info.version),
        cwd: stringOf(info.directory),
        model: stringOf(fieldsOf(info.model).id),
        name: nameOf(stringOf(info.title)),
      })
      const changed = Object.entries(now).filter(([key, value]) => last[key] !== value)
      last = { ...last, ...now }
      return changed.length === 0
        ? undefined
        : { type: 'session_update', ...Object.fromEntries(changed) }
    },
  }
}

/** A session has a title with its date until the model writes one. */
const nameOf = (title: string | undefined): string | undefined =>
  title === undefined || /^(?:New|Child) session - \d{4}-/.test(title) ? undefined : title

/** The retries of a model call. */
export interface OpenCodeRetry {
  /** A `session.status` line that reports a retry. */
  start(line: Fields, status: Fields): void
  /** The model answers again, or the call failed for good. */
  end(finalError?: string): void
}

export const createOpenCodeRetry = (emit: (event: AgentEvent) => void): OpenCodeRetry => {
  let attempt = 0
  return {
    start({ id }, status) {
      const number = countOf(status.attempt) ?? attempt + 1
      if (number === attempt) return
      attempt = number
      emit({
        type: 'auto_retry_start',
        attempt,
        delayMs: delayFrom(id, status.next),
        ...retryReasonOf({ error: stringOf(status.message) }),
      })
    },
    end(finalError) {
      if (attempt === 0) return
      const success = finalError === undefined
      emit({ type: 'auto_retry_end', success, attempt, ...defined({ finalError }) })
      attempt = 0
    },
  }
}
