import type { Presence } from '../events/types.ts'
import { processTable } from '../process/process-table.ts'
import { defined } from '../shared/fields.ts'
import type { PresenceQuery } from './presence.ts'

/** What agents have reported about themselves: more than that their process lives, and at once. */
export interface ReportedPresence {
  note(session: ReportedSession, presence: Presence): void
  /** What is true of a session, from its last report and from what was found. */
  merge(session: ReportedSession, found: Presence): Presence
}

/** A session as its agent knows it. */
export type ReportedSession = Pick<PresenceQuery, 'agent' | 'nativeId'>

interface Report {
  presence: Presence
  /** When the process of the report started. */
  startedAt: number | undefined
}

const maxSessions = 500

export const createReportedPresence = (): ReportedPresence => {
  const reports = new Map<string, Report>()
  return {
    note(session, presence) {
      const key = keyOf(session)
      const { pid } = presence
      reports.delete(key)
      reports.set(key, { presence, startedAt: pid && processTable.startTimeOf(pid) })
      for (const [oldest] of reports) if (reports.size > maxSessions) reports.delete(oldest)
    },
    merge(session, found) {
      const report = reports.get(keyOf(session))
      if (!report || isExact(found) || !isExact(report.presence)) return found
      if (isRunning(report)) return report.presence
      // The report did not name the process, but one lives.
      const isLive = report.presence.pid === undefined && found.state === 'alive'
      return isLive ? { ...report.presence, ...defined({ pid: found.pid }) } : found
    },
  }
}

const keyOf = ({ agent, nativeId }: ReportedSession): string => `${agent}\n${nativeId}`

/** Whether it says what the agent does. The marker of an agent is newer than its last report then. */
const isExact = ({ state }: Presence): boolean =>
  state === 'working' || state === 'waiting' || state === 'idle'

const isRunning = ({ presence: { pid }, startedAt }: Report): boolean =>
  pid !== undefined && startedAt !== undefined && processTable.startTimeOf(pid) === startedAt
