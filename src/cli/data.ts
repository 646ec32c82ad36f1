import type { StampedEvent } from '../events/envelope.ts'
import { listSqliteSessions, type SessionRecord } from '../log/index.ts'
import type { ApprovalPolicy } from '../session/approvals.ts'
import { openSessions } from '../session/sessions.ts'
import { inWords, openLog } from './open-log.ts'

export interface DataOptions {
  directory: string
  policy: ApprovalPolicy
  publish(event: StampedEvent): void
}

/** All that a data directory holds, newest first; also while another process has it. */
export const listSessions = (directory: string): Promise<SessionRecord[]> =>
  inWords(listSqliteSessions(directory, { limit: Number.MAX_SAFE_INTEGER }))

/** Opens the sessions of a data directory; only one process at a time may. */
export const openData = async ({ directory, policy, publish }: DataOptions) => {
  const log = await openLog(directory)
  const sessions = await openSessions({ log, publish, policy })
  return {
    log,
    sessions,
    async close(): Promise<void> {
      await sessions.close()
      await log.close()
    },
  }
}
