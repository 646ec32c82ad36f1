import type { EventOf } from '../events/types.ts'
import { reasonOf } from '../shared/reason.ts'
import { LogFault } from './log-fault.ts'
import { type LogStatus, refusalOf } from './log-status.ts'

/** Why a run was interrupted, as its `error` event reports it. */
export type InterruptReason = Pick<EventOf<'error'>, 'code' | 'message'>

/** The reason where the log could not store the events of a session. */
export const storeFailure = (cause: unknown): InterruptReason => ({
  code: cause instanceof LogFault && cause.code === 'disk_full' ? 'disk_full' : 'log_failed',
  message: `The agent was stopped because its events could not be stored: ${reasonOf(cause)}`,
})

/** The reason where agents are stopped because of the status of the log. */
export const statusInterruption = ({ since, ...status }: LogStatus): InterruptReason => {
  const refusal = refusalOf(status)
  const from = since === undefined ? '' : ` (since ${new Date(since).toISOString()})`
  return {
    code: refusal?.code === 'disk_full' ? 'disk_full' : 'log_failed',
    message: `The agent was stopped${from}: ${refusal?.message}`,
  }
}
