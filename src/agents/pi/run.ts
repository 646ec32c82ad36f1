import type { AgentEvent } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'

/** How a run’s last message ended. */
export interface Outcome {
  stopReason?: string
  errorMessage?: string
}

/**
 * When a run is over. Pi closes each attempt with `agent_end`; only `agent_settled` (0.80.4 on)
 * says that no retry, compaction or queued message follows. Where a version may not have it, an
 * attempt that ended well is the end, and one that failed waits for the next line to tell.
 */
export const createRun = (emit: (event: AgentEvent) => void) => {
  let open = false
  let turnOpen = false
  let ended = false
  let continues = false
  let settles = false
  let outcome: Outcome = {}

  const settle = (last: Outcome = outcome) => {
    if (!open) return
    endTurn({ type: 'turn_end' })
    open = false
    ended = false
    continues = false
    outcome = {}
    emit({ type: 'agent_end', ...last })
  }

  const ensure = () => {
    if (open) return
    open = true
    emit({ type: 'agent_start' })
  }

  const endTurn = (event: Extract<AgentEvent, { type: 'turn_end' }>) => {
    if (!turnOpen) return
    turnOpen = false
    emit(event)
  }

  return {
    ensure,
    /** The stream shows a version that will say `agent_settled`. */
    promiseSettled() {
      settles = true
    },
    /** How the last assistant message ended. */
    note(last: Outcome) {
      outcome = last
    },
    start() {
      if (open && ended && !continues) settle()
      ended = false
      continues = false
      ensure()
    },
    startTurn() {
      ensure()
      endTurn({ type: 'turn_end' })
      turnOpen = true
      emit({ type: 'turn_start' })
    },
    endTurn(event: Extract<AgentEvent, { type: 'turn_end' }>) {
      ensure()
      if (!turnOpen) emit({ type: 'turn_start' })
      turnOpen = true
      endTurn(event)
    },
    /** Pi’s `agent_end`: one attempt is over. */
    attemptEnded(willRetry: boolean | undefined) {
      ended = true
      if (willRetry) continues = true
      else if (!settles && outcome.stopReason !== 'error') settle()
    },
    /** A retry, or a compaction that makes room, goes on with this run. */
    goesOn() {
      continues = true
    },
    /** Nothing more was tried: a version without `agent_settled` ends here. */
    gaveUp() {
      continues = false
      if (ended && !settles) settle()
    },
    settled(aborted: boolean | undefined) {
      settles = true
      settle(aborted ? { ...outcome, stopReason: 'aborted' } : outcome)
    },
    /** The stream is over. */
    close() {
      if (!open) return
      // The format note's print mode stops after the last turn_end, without agent_end.
      const finished = ended || (!turnOpen && isFinal(outcome.stopReason))
      if (finished && !continues) return settle()
      endTurn({ type: 'turn_end', stopReason: 'interrupted' })
      open = false
      emit({
        type: 'agent_end',
        stopReason: 'interrupted',
        ...defined({ errorMessage: outcome.errorMessage }),
        interrupted: true,
      })
    },
  }
}

const isFinal = (stopReason: string | undefined) =>
  stopReason !== undefined && stopReason !== 'toolUse'
