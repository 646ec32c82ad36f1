import { setImmediate } from 'node:timers/promises'
import type { Log, SessionFilter } from './log.ts'
import type { SessionRecord } from './types.ts'

/** The records of all sessions, also of removed ones, newest first. Other work runs between pages. */
export const allSessions = async (
  log: Pick<Log, 'sessions'>,
  filter: Pick<SessionFilter, 'creatorId'> = {},
): Promise<SessionRecord[]> => {
  const records: SessionRecord[] = []
  for (;;) {
    const query = { ...filter, includeRemoved: true, before: records.at(-1), limit: 200 }
    const page = await log.sessions.list(query)
    // A page may be shorter than its limit where a record is damaged: only an empty one is the last.
    if (page.length === 0) return records
    records.push(...page)
    await setImmediate()
  }
}
