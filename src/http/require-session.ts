import type { SessionDamage } from '../events/types.ts'
import { damagedSession } from '../log/damage.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import { Problem } from '../shared/problem.ts'
import { readOnlyFault } from '../shared/read-only-session.ts'
import { problemOfFault } from './problem-of.ts'

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

/**
 * The record of a session whose agent works on this machine. Throws also a `Problem` 409 if it was
 * imported: what its events name, such as a directory, is not of this machine.
 */
export const requireOwnSession = async (log: Log, id: string): Promise<SessionRecord> => {
  const record = await requireSession(log, id)
  if (record.imported) throw readOnlyProblem(record)
  return record
}

const readOnlyProblem = (record: SessionRecord): Problem | undefined => {
  const fault = readOnlyFault(record)
  return fault && problemOfFault(fault.code, fault.message)
}

/** The record of a session that accepts commands. Throws also a `Problem` 409 if it is watched or damaged. */
export const requireIntactSession = async (log: Log, id: string): Promise<SessionRecord> => {
  const record = await requireSession(log, id)
  const readOnly = readOnlyProblem(record)
  if (readOnly) throw readOnly
  if (record.damage) throw sessionDamaged(id, record.damage)
  return record
}

/** The problem of a request that a damaged session cannot answer. */
export const sessionDamaged = (sessionId: string, damage: SessionDamage): Problem =>
  new Problem(409, 'session_damaged', damagedSession(sessionId, damage).message, {
    sessionId,
    ...(damage.seq !== undefined && { seq: damage.seq }),
  })
