import type { Usage } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'

/** How a run or a turn ended. */
export interface Outcome {
  stopReason: string
  errorMessage?: string
}

/**
 * A run from the first sign of it to the answer to its prompt. The protocol has no turns: a turn starts
 * with a message of the model, and the calls that follow the message belong to it.
 */
export interface Run {
  isOpen(): boolean
  /** Opens a run, unless one is open. */
  ensure(): void
  /** Starts a turn, which ends the turn before. */
  startTurn(): void
  /** Starts a turn, unless one is open. */
  ensureTurn(): void
  /** Notes how the last message of the turn ended. */
  note(stopReason: string, usage: Usage | undefined): void
  end(outcome: Outcome): void
  /** The stream is over. */
  close(): void
}

export const createRun = (emit: Emit): Run => {
  let isOpen = false
  let isTurnOpen = false
  let last: { stopReason: string; usage?: Usage } | undefined

  const ensure = () => {
    if (isOpen) return
    isOpen = true
    emit({ type: 'agent_start' })
  }

  const endTurn = (stopReason = last?.stopReason) => {
    if (!isTurnOpen) return
    isTurnOpen = false
    emit({ type: 'turn_end', ...defined({ stopReason, usage: last?.usage }) })
    last = undefined
  }

  const startTurn = () => {
    ensure()
    endTurn()
    isTurnOpen = true
    emit({ type: 'turn_start' })
  }

  return {
    isOpen: () => isOpen,
    ensure,
    startTurn,
    ensureTurn() {
      if (!isTurnOpen) startTurn()
    },
    note(stopReason, usage) {
      last = { stopReason, ...defined({ usage }) }
    },
    end(outcome) {
      if (!isOpen) return
      endTurn()
      isOpen = false
      emit({ type: 'agent_end', ...outcome })
    },
    close() {
      if (!isOpen) return
      endTurn('interrupted')
      isOpen = false
      emit({ type: 'agent_end', stopReason: 'interrupted', interrupted: true })
    },
  }
}
