import type { Usage } from '../../events/types.ts'
import type { RunFigures } from '../../events/usage-sums.ts'
import type { Emit } from '../emit.ts'

/** How a run ended. */
export interface Outcome extends RunFigures {
  stopReason: string
  errorMessage?: string
}

/** A run: what Codex calls a turn. A turn of Sluice is one model call inside it. */
export interface Run {
  isOpen(): boolean
  /** Opens a run, unless one is open. */
  ensure(): void
  /** Opens a turn, unless one is open: the model does something. */
  act(): void
  /** The model call and its tools are over. */
  endTurn(usage?: Usage): void
  end(outcome: Outcome): void
  /** The stream is over. */
  close(errorMessage: string | undefined): void
}

export const createRun = (emit: Emit): Run => {
  let isOpen = false
  let isTurnOpen = false

  const ensure = () => {
    if (isOpen) return
    isOpen = true
    emit({ type: 'agent_start' })
  }

  const endTurn = (usage?: Usage, stopReason?: string) => {
    if (!isTurnOpen) return
    isTurnOpen = false
    emit({
      type: 'turn_end',
      ...(stopReason !== undefined && { stopReason }),
      ...(usage && { usage }),
    })
  }

  return {
    isOpen: () => isOpen,
    ensure,
    act() {
      ensure()
      if (isTurnOpen) return
      isTurnOpen = true
      emit({ type: 'turn_start' })
    },
    endTurn,
    end(outcome) {
      if (!isOpen) return
      endTurn(undefined, outcome.stopReason)
      isOpen = false
      emit({ type: 'agent_end', ...outcome })
    },
    close(errorMessage) {
      if (!isOpen) return
      endTurn(undefined, 'interrupted')
      isOpen = false
      emit({
        type: 'agent_end',
        stopReason: 'interrupted',
        ...(errorMessage !== undefined && { errorMessage }),
        interrupted: true,
      })
    },
  }
}
