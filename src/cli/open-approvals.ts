import type { AgentEvent, EventOf } from '../events/types.ts'

/** Approval requests that people must hear about: those that no rule decides at once. */
export interface OpenApprovals {
  /** Calls `show` with a request that is still open after a moment. */
  push(event: AgentEvent, show: (request: EventOf<'approval_request'>) => void): void
  /** Shows nothing any more. */
  clear(): void
}

/** How long a rule may take to decide before people are asked. */
const ruleMs = 500

export const createOpenApprovals = (): OpenApprovals => {
  const timers = new Map<string, NodeJS.Timeout>()
  const cancel = (id: string): void => {
    clearTimeout(timers.get(id))
    timers.delete(id)
  }
  return {
    push(event, show) {
      if (event.type === 'approval_request')
        timers.set(
          event.approvalId,
          setTimeout(() => show(event), ruleMs),
        )
      if (event.type === 'approval_resolved') cancel(event.approvalId)
    },
    clear() {
      for (const id of [...timers.keys()]) cancel(id)
    },
  }
}
