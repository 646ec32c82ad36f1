import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'

/** The record of a session. Throws a `Problem`: 404 when there is none, 410 when it was removed. */
export const requireSession = async (log: Log, id: string): Promise<SessionRecord> => {
  const record = await log.sessions.get(id)
  if (!record)
    throw new Problem(404, 'unknown_session', `There is no session ${id}.`, { sessionId: id })
  if (record.removedAt !== undefined)
    throw new Problem(
      410,
      'gone',
      `Session ${id} was removed. To restore it, send PATCH /api/v1/sessions/${id} with {"removed": false}.`,
      { sessionId: id, removedAt: record.removedAt },
    )
  return record
}
