import type { LiveSummary, Session } from '../../api/session.ts'
import type { SessionRecord } from '../../log/session-record.ts'
import { Problem } from '../problem.ts'
import type { World } from '../world.ts'

/** A session as callers see it: without the agent’s own id and process. */
export const sessionOf = (record: SessionRecord, live: LiveSummary | undefined): Session => {
  const { nativeId: _, pid: __, pidStartedAt: ___, ...told } = record
  return { ...told, ...live }
}

/** The record of a session that is there. */
export const knownSession = async (world: World, id: string): Promise<SessionRecord> => {
  const record = await world.log.sessions.get(id)
  if (!record) throw new Problem(404, 'unknown_session', `There is no session ${id}.`)
  if (record.removedAt !== undefined)
    throw new Problem(410, 'gone', 'The session was removed.', { removedAt: record.removedAt })
  return record
}
