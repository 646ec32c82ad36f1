import { reasonOf } from '../../shared/reason.ts'

/** When a database that cannot be read is tried again, and what people learn about it: each error once. */
export interface DatabaseTries {
  isDue(): boolean
  /** The database cannot be read. It may be new: only if that lasts, it is an error. */
  failed(cause: unknown): void
  /** One session cannot be read. */
  sessionFailed(cause: unknown): void
  works(): void
  /** It is another database from here on. */
  reset(): void
}

interface TriesOptions {
  retryMs: number
  patienceMs: number
  onError(cause: unknown): void
}

/** How soon a database that is locked is tried again. */
const lockedMs = 5000
/** More different errors say nothing new. */
const maxReported = 50

export const createDatabaseTries = ({
  retryMs,
  patienceMs,
  onError,
}: TriesOptions): DatabaseTries => {
  const reported = { database: new Set<string>(), session: new Set<string>() }
  let dueAt = 0
  let failsSince: number | undefined

  const report = (before: Set<string>, cause: unknown): void => {
    const message = reasonOf(cause)
    if (before.size < maxReported && !before.has(message)) onError(cause)
    before.add(message)
  }
  const works = (): void => {
    failsSince = undefined
    reported.database.clear()
  }

  return {
    isDue: () => performance.now() >= dueAt,
    failed(cause) {
      failsSince ??= performance.now()
      if (performance.now() - failsSince < patienceMs) return
      report(reported.database, cause)
      dueAt = performance.now() + (isLocked(cause) ? lockedMs : retryMs)
    },
    sessionFailed: (cause) => report(reported.session, cause),
    works,
    reset() {
      works()
      reported.session.clear()
      dueAt = 0
    },
  }
}

const isLocked = (cause: unknown): boolean => /\b(?:locked|busy)\b/.test(reasonOf(cause))
