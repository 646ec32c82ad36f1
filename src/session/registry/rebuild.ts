import type { Damage } from '../../log/damage.ts'
import type { Log } from '../../log/log.ts'
import { storeApprovals } from '../recording/store-approvals.ts'

/**
 * Makes again what the log has dropped because it was damaged, from the events of its session. A
 * ledger and a snapshot are made when they are needed next.
 */
export const rebuild = async (log: Log, { kind, sessionId }: Damage): Promise<void> => {
  if (kind !== 'approval' || sessionId === undefined) return
  // Behind the damage of a session, it may have been answered.
  if ((await log.sessions.get(sessionId))?.damage) return
  for await (const event of log.read(sessionId, 0)) await storeApprovals(log, [event])
}

/** What to report about damage: what happened, and what to do. */
export const damageMessage = ({ kind, id, sessionId, reason }: Damage): string => {
  if (kind === 'table') return `${reason} Stop the server and run \`sluice check --repair\`.`
  const subject = kind === 'session' ? `Session ${id}` : `${nameOf(kind)} ${id}`.trimEnd()
  const owner = sessionId === undefined || sessionId === id ? '' : ` of session ${sessionId}`
  return `${subject}${owner} is damaged. ${reason} To look for more damage, run \`sluice check\`.`
}

const nameOf = (kind: Damage['kind']): string => `The stored ${kind}`
