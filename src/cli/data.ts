import { statSync } from 'node:fs'
import type { StampedEvent } from '../events/types.ts'
import { listSqliteSessions, type SessionRecord } from '../log/index.ts'
import type { ApprovalPolicy } from '../session/conversation/approvals.ts'
import { openSessions } from '../session/registry/sessions.ts'
import { Fault } from '../shared/fault.ts'
import { inWords, openLog } from './open-log.ts'

export interface DataOptions {
  directory: string
  policy: ApprovalPolicy
  publish(event: StampedEvent): void
}

/** All that a data directory holds, newest first; also while another process has it. */
export const listSessions = async (directory: string): Promise<SessionRecord[]> => {
  // One that is not there yet holds nothing; a file never will.
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Fault('data_not_opened', `${directory} is a file, not a data directory.`)
  return inWords(listSqliteSessions(directory, { limit: Number.MAX_SAFE_INTEGER }))
}

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
export type OpenData = Awaited<ReturnType<typeof openData>>
