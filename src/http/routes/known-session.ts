import type { SessionRecord } from '../../log/types.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'

/** The record of a session that is there. */
export const knownSession = async (world: AppContext, id: string): Promise<SessionRecord> => {
  const record = await world.log.sessions.get(id)
  if (!record) throw new Problem(404, 'unknown_session', `There is no session ${id}.`)
  if (record.removedAt !== undefined)
    throw new Problem(410, 'gone', 'The session was removed.', { removedAt: record.removedAt })
  return record
}
