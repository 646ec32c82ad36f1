import { LogFault, type LogFaultCode } from '../../log/log-fault.ts'
import { Fault, type FaultCode } from '../../shared/fault.ts'
import { reasonOf } from '../../shared/reason.ts'
import type { SendOutcome } from './driver.ts'

/** What became of a request to a session. */
export type CommandResult =
  | SendOutcome
  | { outcome: 'busy'; error: string }
  | { outcome: 'failed'; error: string; code?: FaultCode | LogFaultCode }

/** A request that could not even reach the agent. */
export const failedResult = (cause: unknown): CommandResult => ({
  outcome: 'failed',
  error: reasonOf(cause),
  ...((cause instanceof Fault || cause instanceof LogFault) && { code: cause.code }),
})
