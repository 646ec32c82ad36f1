import type { Usage } from '../events/types.ts'
import type { RunFigures } from '../events/usage-sums.ts'
import type { Emit } from './emit.ts'

/** How a run ended. */
export interface PlainOutcome extends RunFigures {
  stopReason: string
  errorMessage?: string
}

/** The run and the turns of an agent that says itself when its run is over. */
export interface PlainRun {
  isOpen(): boolean
  /** The agent does something: a run is open from here on. */
  act(): void
  /** A model call begins. It ends the turn before. */
  startTurn(): void
  /** Notes how the model call stopped; the turn ends with the next one, or with the run. */
  stopTurn(stopReason: string | undefined, usage?: Usage): void
  end(outcome: PlainOutcome): void
  /** The stream is over. */
  close(): void
}

export const createPlainRun = (emit: Emit): PlainRun => {
  let isOpen = false
  let isTurnOpen = false
  let stopped: { stopReason?: string; usage?: Usage } = {}

  const endTurn = () => {
    if (isTurnOpen) emit({ type: 'turn_end', ...stopped })
    isTurnOpen = false
    stopped = {}
  }

  const act = () => {
    if (!isOpen) emit({ type: 'agent_start' })
    isOpen = true
  }

  return {
    isOpen: () => isOpen,
    act,
    startTurn() {
      act()
      endTurn()
      isTurnOpen = true
      emit({ type: 'turn_start' })
    },
    stopTurn(stopReason, usage) {
      stopped = { ...(stopReason !== undefined && { stopReason }), ...(usage && { usage }) }
    },
    end(outcome) {
      act()
      endTurn()
      isOpen = false
      emit({ type: 'agent_end', ...outcome })
    },
    close() {
      if (!isOpen) return
      if (isTurnOpen && stopped.stopReason === undefined) stopped.stopReason = 'interrupted'
      endTurn()
      isOpen = false
      emit({ type: 'agent_end', stopReason: 'interrupted', interrupted: true })
    },
  }
}
