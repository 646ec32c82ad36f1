import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import type { ApprovalRecord } from '../log/types.ts'

/** How long the record of an approval may be behind its event. */
const approvalMs = 1000
const retryMs = 50

/**
 * An approval by its id. Where several nodes share the log, people can see the request of another node
 * before its record has arrived here, so an unknown approval is waited for.
 */
export const findApproval = async (
  { approvals, shared }: Pick<Log, 'approvals' | 'shared'>,
  id: string,
): Promise<ApprovalRecord | undefined> => {
  const end = performance.now() + approvalMs
  for (;;) {
    const found = await approvals.get(id)
    if (found || !shared || performance.now() > end) return found
    await delay(retryMs)
  }
}
