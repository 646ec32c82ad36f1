import type { AgentEvent, Usage } from '../../events/types.ts'

/** How a run ended, as a `result` line says it. */
export interface Outcome {
  stopReason: string
  errorMessage?: string
}

/**
 * When a run is over. A `result` ends a turn of the conversation; it is the end of the run unless
 * something still works in the background, or the result was held back behind a follow-up turn
 * that began in the meantime (its own result comes right after).
 */
export const createRun = (emit: (event: AgentEvent) => void, isBusy: () => boolean) => {
  let open = false
  let turnOpen = false
  /** Results that are still to come: one for each turn that has begun. */
  let owed = 0
  let notified = false
  let last: Outcome | undefined
  /** Something happened after the last result. */
  let active = false

  const ensure = () => {
    if (open) return
    open = true
    last = undefined
    owed = 0
    emit({ type: 'agent_start' })
  }

  const endTurn = (stopReason?: string, usage?: Usage) => {
    if (!turnOpen) return
    turnOpen = false
    emit({
      type: 'turn_end',
      ...(stopReason !== undefined && { stopReason }),
      ...(usage && { usage }),
    })
  }

  const settle = (outcome: Outcome) => {
    endTurn()
    open = false
    notified = false
    emit({ type: 'agent_end', ...outcome })
  }

  return {
    isOpen: () => open,
    /** The agent does something: a run is open from here on. */
    act() {
      ensure()
      active = true
    },
    /** A turn of the conversation begins. */
    init() {
      const fresh = !open
      ensure()
      active = true
      if (fresh || notified || last !== undefined) owed += 1
      else owed = Math.max(owed, 1)
      notified = false
    },
    /** A background task is done: the agent will be told in a turn of its own. */
    notify() {
      notified = true
    },
    startTurn() {
      ensure()
      turnOpen = true
      emit({ type: 'turn_start' })
    },
    endTurn,
    result(outcome: Outcome): boolean {
      ensure()
      owed = Math.max(0, owed - 1)
      last = outcome
      active = false
      if (owed > 0 || isBusy()) return false
      settle(outcome)
      return true
    },
    /** The stream is over. */
    close() {
      if (!open) return
      if (last && !active) return settle(last)
      endTurn('interrupted')
      open = false
      emit({ type: 'agent_end', stopReason: 'interrupted', interrupted: true })
    },
  }
}
