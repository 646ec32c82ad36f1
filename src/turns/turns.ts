import type { AgentEvent, EventOf, TurnState } from '../events/types.ts'

/** What can move a turn: its run begins or ends, one of its steps does. */
type Trigger = 'agent_start' | 'step_start' | 'step_end' | 'agent_end'

/**
 * A turn is one run of the agent, a step one assistant message of its main thread. `idle` is where
 * a session begins; later it rests in `turn_finished`, from where the next run starts a new turn.
 * A run may end inside a step, because an agent can die anywhere.
 */
const table: Record<TurnState, Partial<Record<Trigger, TurnState>>> = {
  idle: { agent_start: 'turn_started' },
  turn_started: { step_start: 'step_started', agent_end: 'turn_finished' },
  step_started: { step_end: 'step_finished', agent_end: 'turn_finished' },
  step_finished: { step_start: 'step_started', agent_end: 'turn_finished' },
  turn_finished: { agent_start: 'turn_started' },
}

/** One move from state to state. */
export interface TurnTransition {
  oldState: TurnState
  newState: TurnState
  /** The stop reason of the step or of the turn that ended, where it is known. */
  reason?: string
}

/** What an event did to a turn. */
export interface TurnUpdate {
  transitions: TurnTransition[]
  /** The event moves a turn, but not from this state: for people. */
  violation?: string
}

/** The state after an event; the same one if the event moves nothing, or not from here. */
export const advance = (state: TurnState, event: AgentEvent): TurnState => {
  const trigger = triggerOf(event)
  return (trigger && table[state][trigger]) ?? state
}

/** Follows the turns of one session; a state that is already known may be taken up. */
export const createTurns = (initial: TurnState = 'idle') => {
  let state = initial
  return {
    state: (): TurnState => state,
    /** Takes one event in. One that is out of order is reported and not taken. */
    push(event: AgentEvent): TurnUpdate {
      if (triggerOf(event) === undefined) return { transitions: [] }
      const oldState = state
      state = advance(oldState, event)
      if (state === oldState)
        return {
          transitions: [],
          violation: `${event.type} is out of order in the state ${oldState}`,
        }
      const reason = reasonOf(event)
      return {
        transitions: [{ oldState, newState: state, ...(reason !== undefined && { reason }) }],
      }
    },
  }
}
export type Turns = ReturnType<typeof createTurns>

/** The moves as events of the stream. */
export const turnStateEvents = (moves: readonly TurnTransition[]): EventOf<'turn_state'>[] =>
  moves.map((move) => ({ type: 'turn_state', ...move }))

/** A subagent’s messages are no steps; nor is what others than the model say. */
const triggerOf = (event: AgentEvent): Trigger | undefined => {
  switch (event.type) {
    case 'agent_start':
    case 'agent_end':
      return event.type
    case 'message_start':
      return isStep(event, event.messageRole) ? 'step_start' : undefined
    case 'message_end':
      return isStep(event, event.message.role) ? 'step_end' : undefined
    default:
      return undefined
  }
}

const isStep = (event: AgentEvent, role: string): boolean =>
  role === 'assistant' && event.parentToolCallId === undefined

const reasonOf = (event: AgentEvent): string | undefined => {
  if (event.type === 'message_end') return event.message.stopReason
  if (event.type !== 'agent_end') return undefined
  return event.stopReason ?? (event.interrupted ? 'interrupted' : undefined)
}
