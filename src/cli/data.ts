import { homedir } from 'node:os'
import { join } from 'node:path'
import type { StampedEvent } from '../events/envelope.ts'
import { Fault } from '../events/fault.ts'
import { type Log, LogFault, openSqliteLog } from '../log/index.ts'
import type { ApprovalPolicy } from '../session/approvals.ts'
import { openSessions } from '../session/sessions.ts'
import { findAgent } from './find-agent.ts'

/** Where sessions are kept unless told otherwise. */
export const defaultData = (): string => join(homedir(), '.sluice')

/** The extension that makes Pi ask; beside this file’s folder, built or not. */
const gate = join(import.meta.dirname, '..', 'agents', 'pi', 'gate.js')

export interface DataOptions {
  directory: string
  policy: ApprovalPolicy
  publish(event: StampedEvent): void
}

/** Opens a data directory; one that cannot be opened is told in words. */
export const openLog = async (directory: string): Promise<Log> => {
  try {
    return await openSqliteLog(directory)
  } catch (cause) {
    if (!(cause instanceof LogFault)) throw cause
    throw new Fault('data_not_opened', cause.message, { cause })
  }
}

/** Opens the sessions of a data directory; only one process at a time may. */
export const openData = async ({ directory, policy, publish }: DataOptions) => {
  const log = await openLog(directory)
  const sessions = await openSessions({ log, publish, policy, gate, findProgram: findAgent })
  return {
    log,
    sessions,
    async close(): Promise<void> {
      await sessions.close()
      await log.close()
    },
  }
}
