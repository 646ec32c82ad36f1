import { type CloseReason, createOpenState } from '../../events/open-state.ts'
import { createOrderChecker } from '../../events/order.ts'
import type { AgentEvent } from '../../events/types.ts'

/**
 * What a stream has open: whether an event is in its place, and the events that close the rest.
 * The decoder uses it for a process that is gone, the program for a run that is aborted.
 */
export const createOpen = () => {
  const order = createOrderChecker()
  const state = createOpenState()

  return {
    /** Takes an event in; false when it is out of place, and then nothing has changed. */
    take(event: AgentEvent): boolean {
      if (order.check(event).length > 0) return false
      order.push(event)
      state.push(event)
      return true
    },
    /** Events that close what is open, the run last, in the promised order. */
    close(cut: CloseReason, errorMessage?: string): AgentEvent[] {
      const events = state.close({ reason: cut, errorMessage })
      for (const event of events) order.push(event)
      return events
    },
  }
}
