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
  /** The turn is over. */
  endTurn(stopReason?: string, usage?: Usage): void
  /** The agent has nothing more to do. The run ends with this, unless something else happens. */
  settle(outcome: PlainOutcome): void
  end(outcome: PlainOutcome): void
  /** The stream is over. A run that is neither ended nor settled was interrupted. */
  close(): void
}

export const createPlainRun = (emit: Emit): PlainRun => {
  let isOpen = false
  let isTurnOpen = false
  let stopped: { stopReason?: string; usage?: Usage } = {}
  let settled: PlainOutcome | undefined

  const endTurn = () => {
    if (isTurnOpen) emit({ type: 'turn_end', ...stopped })
    isTurnOpen = false
    stopped = {}
  }

  const stopTurn = (stopReason: string | undefined, usage?: Usage) => {
    stopped = { ...(stopReason !== undefined && { stopReason }), ...(usage && { usage }) }
  }

  const act = () => {
    settled = undefined
    if (!isOpen) emit({ type: 'agent_start' })
    isOpen = true
  }

  const end = (outcome: PlainOutcome) => {
    act()
    endTurn()
    isOpen = false
    emit({ type: 'agent_end', ...outcome })
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
    stopTurn,
    endTurn(stopReason, usage) {
      stopTurn(stopReason, usage)
      endTurn()
    },
    settle(outcome) {
      if (isOpen) settled = outcome
    },
    end,
    close() {
      if (!isOpen) return
      if (settled) return end(settled)
      if (isTurnOpen && stopped.stopReason === undefined) stopped.stopReason = 'interrupted'
      endTurn()
      isOpen = false
      emit({ type: 'agent_end', stopReason: 'interrupted', interrupted: true })
    },
  }
}
