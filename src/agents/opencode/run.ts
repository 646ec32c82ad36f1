import type { ErrorCode, Usage } from '../../events/types.ts'
import type { Emit } from '../emit.ts'

/** How a run ended. */
export interface OpenCodeOutcome {
  stopReason?: string
  errorMessage?: string
  /** Emitted with the error message, where programs may want to recognise the reason. */
  code?: ErrorCode
}

/** A run from its start to its end, with one turn for each step of the main thread. */
export interface OpenCodeRun {
  isOpen(): boolean
  /** Opens a run, unless one is open. */
  ensure(): void
  startTurn(): void
  endTurn(stopReason?: string, usage?: Usage): void
  /** Notes how the run would end now. */
  note(outcome: OpenCodeOutcome): void
  outcome(): OpenCodeOutcome
  /** The agent waits for input. */
  end(): void
  /** The stream is over, in the middle of the run. */
  interrupt(): void
}

export const createOpenCodeRun = (emit: Emit): OpenCodeRun => {
  let isOpen = false
  let isTurnOpen = false
  let outcome: OpenCodeOutcome = {}

  const endTurn = (stopReason?: string, usage?: Usage) => {
    if (!isTurnOpen) return
    isTurnOpen = false
    emit({
      type: 'turn_end',
      ...(stopReason !== undefined && { stopReason }),
      ...(usage && { usage }),
    })
  }

  const ensure = () => {
    if (isOpen) return
    isOpen = true
    outcome = {}
    emit({ type: 'agent_start' })
  }

  return {
    isOpen: () => isOpen,
    ensure,
    startTurn() {
      ensure()
      endTurn()
      isTurnOpen = true
      emit({ type: 'turn_start' })
    },
    endTurn,
    note(now) {
      outcome = now
    },
    outcome: () => outcome,
    end() {
      if (!isOpen) return
      endTurn(outcome.stopReason)
      isOpen = false
      const { code: _, ...end } = outcome
      emit({ type: 'agent_end', ...end })
    },
    interrupt() {
      if (!isOpen) return
      endTurn('interrupted')
      isOpen = false
      emit({ type: 'agent_end', stopReason: 'interrupted', interrupted: true })
    },
  }
}
