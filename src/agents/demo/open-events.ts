import { type CloseReason, createOpenState } from '../../events/open-state.ts'
import { createOrderChecker } from '../../events/order.ts'
import type { AgentEvent } from '../../events/types.ts'

/**
 * What a stream has open. The decoder uses it when the process is gone, the program when a run is
 * aborted.
 */
export interface OpenEvents {
  /** Accepts an event; false, and nothing changed, if the event is out of order. */
  accept(event: AgentEvent): boolean
  /** Returns the events that close everything that is open, in order, the run last. */
  close(reason: CloseReason, errorMessage?: string): AgentEvent[]
}

export const createOpenEvents = (): OpenEvents => {
  const order = createOrderChecker()
  const state = createOpenState()

  return {
    accept(event) {
      if (order.check(event).length > 0) return false
      order.push(event)
      state.push(event)
      return true
    },
    close(reason, errorMessage) {
      const events = state.close({ reason, errorMessage })
      for (const event of events) order.push(event)
      return events
    },
  }
}
