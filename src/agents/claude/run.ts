import type { Usage } from '../../events/types.ts'
import { addRunFigures, type RunFigures } from '../../events/usage-sums.ts'
import type { Emit } from '../emit.ts'

/** How a run ended, according to a `result` line. */
export interface Outcome extends RunFigures {
  stopReason: string
  errorMessage?: string
}

/**
 * A run from its start to its end. A `result` line ends a turn of the conversation, and the run: the
 * agent waits for input, even if tasks work in the background. But if a follow-up turn has begun in
 * the meantime, the result of that turn comes right after, and ends the run.
 */
export interface Run {
  isOpen(): boolean
  /**
   * The agent does something: a run is open from here on. What happens inside a call that works in the
   * background belongs to no run.
   */
  act(parentToolCallId?: string): void
  /** A turn of the conversation begins. */
  init(): void
  /** A background task ended: the agent will hear of it in a turn of its own. */
  notify(): void
  startTurn(): void
  endTurn(stopReason?: string, usage?: Usage): void
  result(outcome: Outcome): void
  /** The agent waits for input, although no result has come. */
  end(outcome: Outcome): void
  /** The stream is over. */
  close(): void
}

export const createRun = (emit: Emit, isDetached: (toolCallId: string) => boolean): Run => {
  let isOpen = false
  let isTurnOpen = false
  /** How many results are still to come: one for each turn that has begun. */
  let pendingResults = 0
  let isNotified = false
  let last: Outcome | undefined
  /** Something happened after the last result. */
  let isActive = false

  const ensure = () => {
    if (isOpen) return
    isOpen = true
    last = undefined
    pendingResults = 0
    emit({ type: 'agent_start' })
  }

  const endTurn = (stopReason?: string, usage?: Usage) => {
    if (!isTurnOpen) return
    isTurnOpen = false
    emit({
      type: 'turn_end',
      ...(stopReason !== undefined && { stopReason }),
      ...(usage && { usage }),
    })
  }

  const end = (outcome: Outcome) => {
    if (!isOpen) return
    endTurn()
    isOpen = false
    isNotified = false
    emit({ type: 'agent_end', ...outcome })
  }

  return {
    isOpen: () => isOpen,
    act(parentToolCallId) {
      if (parentToolCallId !== undefined && isDetached(parentToolCallId)) return
      ensure()
      isActive = true
    },
    init() {
      const isNew = !isOpen
      ensure()
      isActive = true
      if (isNew || isNotified || last !== undefined) pendingResults += 1
      else pendingResults = Math.max(pendingResults, 1)
      isNotified = false
    },
    notify() {
      isNotified = true
    },
    startTurn() {
      ensure()
      isTurnOpen = true
      emit({ type: 'turn_start' })
    },
    endTurn,
    result(outcome) {
      ensure()
      pendingResults = Math.max(0, pendingResults - 1)
      last = addRunFigures(outcome, last ?? {})
      isActive = false
      if (pendingResults === 0) end(last)
    },
    end,
    close() {
      if (!isOpen) return
      if (last && !isActive) return end(last)
      endTurn('interrupted')
      isOpen = false
      emit({ type: 'agent_end', stopReason: 'interrupted', interrupted: true })
    },
  }
}
