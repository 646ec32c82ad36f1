import type { AgentEvent, TurnState, TurnStateEvent } from '../events/types.ts'

/** What changes the turn state: a run starts or ends, or one of its steps does. */
type Trigger = 'agent_start' | 'step_start' | 'step_end' | 'agent_end'

/**
 * A turn is one run of the agent. A step is one assistant message of the main thread. A session
 * starts as `idle`; after its first run it rests in `turn_finished`, until the next run starts. A run
 * can end inside a step, because an agent can die at any point.
 */
const table: Record<TurnState, Partial<Record<Trigger, TurnState>>> = {
  idle: { agent_start: 'turn_started' },
  turn_started: { step_start: 'step_started', agent_end: 'turn_finished' },
  step_started: { step_end: 'step_finished', agent_end: 'turn_finished' },
  step_finished: { step_start: 'step_started', agent_end: 'turn_finished' },
  turn_finished: { agent_start: 'turn_started' },
}

/** What follows from an event. */
export interface TurnUpdate {
  /** The change of the turn state, if there is one. */
  events: TurnStateEvent[]
  /** An error message, if the current state does not allow the event. */
  violation?: string
}

/** Tracks the turn state of one session. */
export interface TurnTracker {
  /** The current state. */
  state(): TurnState
  /** Adds one event. An event that is out of order changes nothing and is reported. */
  push(event: AgentEvent): TurnUpdate
}

export const createTurnTracker = (initial: TurnState = 'idle'): TurnTracker => {
  let state = initial
  return {
    state: () => state,
    push(event) {
      if (triggerOf(event) === undefined) return { events: [] }
      const oldState = state
      state = nextTurnState(oldState, event)
      if (state === oldState)
        return { events: [], violation: `${event.type} is out of order in the state ${oldState}` }
      const reason = stopReasonOf(event)
      return {
        events: [
          {
            type: 'turn_state',
            oldState,
            newState: state,
            ...(reason !== undefined && { reason }),
          },
        ],
      }
    },
  }
}

/** The turn state after an event; the same state if the event does not change it. */
export const nextTurnState = (state: TurnState, event: AgentEvent): TurnState => {
  const trigger = triggerOf(event)
  return (trigger && table[state][trigger]) ?? state
}

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

const stopReasonOf = (event: AgentEvent): string | undefined => {
  if (event.type === 'message_end') return event.message.stopReason
  if (event.type !== 'agent_end') return undefined
  return event.stopReason ?? (event.interrupted ? 'interrupted' : undefined)
}
