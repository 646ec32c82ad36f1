import type { EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'

/** How the last message of a run ended. */
export interface Outcome {
  stopReason?: string
  errorMessage?: string
}

/**
 * A run from its start to its end. Pi ends each attempt with `agent_end`; only `agent_settled` (from
 * 0.80.4) says that no retry, compaction or queued message follows. In versions that may not have
 * it, an attempt that succeeded ends the run, and one that failed waits for the next line.
 */
export interface Run {
  /** Opens a run, unless one is open. */
  ensure(): void
  /** The stream shows a version that sends `agent_settled`. */
  promiseSettled(): void
  /** Notes how the last assistant message ended. */
  note(outcome: Outcome): void
  /** An attempt starts. */
  start(): void
  startTurn(): void
  endTurn(event: EventOf<'turn_end'>): void
  /** An attempt ended. */
  endAttempt(willRetry: boolean | undefined): void
  /** A retry follows, or a compaction that makes room: the run continues. */
  willContinue(): void
  /** Nothing more is tried: in a version without `agent_settled`, the run ends here. */
  giveUp(): void
  /** Pi reports that it does nothing. If no retry was announced, nothing more is tried. */
  idle(): void
  settle(isAborted: boolean | undefined): void
  /** The stream is over. */
  close(): void
}

interface State {
  isOpen: boolean
  isTurnOpen: boolean
  /** An attempt of the run has ended. */
  isEnded: boolean
  /** Another attempt follows. */
  isContinued: boolean
  /** The version sends `agent_settled`. */
  settles: boolean
  outcome: Outcome
}

export const createRun = (emit: Emit): Run => {
  const state: State = {
    isOpen: false,
    isTurnOpen: false,
    isEnded: false,
    isContinued: false,
    settles: false,
    outcome: {},
  }
  const ensure = () => {
    if (state.isOpen) return
    state.isOpen = true
    emit({ type: 'agent_start' })
  }

  return {
    ensure,
    promiseSettled() {
      state.settles = true
    },
    note(outcome) {
      state.outcome = outcome
    },
    start() {
      if (state.isEnded && !state.isContinued) end(state, emit)
      state.isEnded = false
      state.isContinued = false
      ensure()
    },
    startTurn() {
      ensure()
      endTurn(state, emit, { type: 'turn_end' })
      state.isTurnOpen = true
      emit({ type: 'turn_start' })
    },
    endTurn(event) {
      ensure()
      if (!state.isTurnOpen) emit({ type: 'turn_start' })
      state.isTurnOpen = true
      endTurn(state, emit, event)
    },
    endAttempt(willRetry) {
      state.isEnded = true
      if (willRetry) state.isContinued = true
      else if (!state.settles && state.outcome.stopReason !== 'error') end(state, emit)
    },
    willContinue() {
      state.isContinued = true
    },
    giveUp() {
      state.isContinued = false
      if (state.isEnded && !state.settles) end(state, emit)
    },
    idle() {
      if (state.isEnded && !state.isContinued && !state.settles) end(state, emit)
    },
    settle(isAborted) {
      state.settles = true
      end(state, emit, isAborted ? { ...state.outcome, stopReason: 'aborted' } : state.outcome)
    },
    close: () => close(state, emit),
  }
}

const endTurn = (state: State, emit: Emit, event: EventOf<'turn_end'>) => {
  if (!state.isTurnOpen) return
  state.isTurnOpen = false
  emit(event)
}

const end = (state: State, emit: Emit, outcome = state.outcome) => {
  if (!state.isOpen) return
  endTurn(state, emit, { type: 'turn_end' })
  state.isOpen = false
  state.isEnded = false
  state.isContinued = false
  state.outcome = {}
  emit({ type: 'agent_end', ...outcome })
}

const close = (state: State, emit: Emit) => {
  const { isOpen, isTurnOpen, isEnded, isContinued, outcome } = state
  if (!isOpen) return
  // Print mode, as the note about the format has it, stops after the last turn without `agent_end`.
  const isFinished = isEnded || (!isTurnOpen && isFinal(outcome.stopReason))
  if (isFinished && !isContinued) return end(state, emit)
  endTurn(state, emit, { type: 'turn_end', stopReason: 'interrupted' })
  state.isOpen = false
  emit({
    type: 'agent_end',
    stopReason: 'interrupted',
    ...defined({ errorMessage: outcome.errorMessage }),
    interrupted: true,
  })
}

const isFinal = (stopReason: string | undefined) =>
  stopReason !== undefined && stopReason !== 'toolUse'
