import type { AgentEvent, TurnState, TurnStateEvent } from '../events/types.ts'

/** What changes the turn state: a run starts or ends, or one of its steps does. */
type Trigger = 'agent_start' | 'step_start' | 'step_end' | 'agent_end'

/**
 * The states of a run, which the note about SSE calls a turn. A step is one model call with its tools:
 * it starts with an assistant message of the main thread, and it is over when its tools are. A
 * session starts as `idle`; after its first run it rests in `turn_finished`, until the next run
 * starts. A run can end inside a step, because an agent can die at any point.
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
  /** The changes of the turn state. */
  events: readonly TurnStateEvent[]
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
  /** How the message of the current step ended; undefined while it is open. */
  let answer: { reason: string | undefined } | undefined
  /** The calls of the main thread that have no result yet. */
  const tools = new Set<string>()

  const move = (newState: TurnState, reason: string | undefined): TurnStateEvent => {
    const oldState = state
    state = newState
    return { type: 'turn_state', oldState, newState, ...(reason !== undefined && { reason }) }
  }

  /** Not every agent reports the end of a step: then the next step, or the end of the run, does. */
  const endStep = (): TurnStateEvent[] => {
    if (state !== 'step_started' || !answer) return []
    return [move('step_finished', answer.reason)]
  }

  return {
    state: () => state,
    push(event) {
      if (event.type === 'message_end' && isStep(event, event.message.role)) {
        if (state !== 'step_started' || answer) return outOfOrder(event, state)
        answer = { reason: event.message.stopReason }
        return nothing
      }
      trackTools(tools, event)
      const trigger = triggerOf(event)
      if (trigger === undefined) return nothing
      if (trigger === 'step_end') return { events: endStep() }
      // A second message, such as about a lost connection, belongs to the step whose tools still run.
      if (trigger === 'step_start' && tools.size > 0 && answer) {
        answer = undefined
        return nothing
      }
      const ended = endStep()
      const newState = table[state][trigger]
      if (newState === undefined) return { ...outOfOrder(event, state), events: ended }
      answer = undefined
      return { events: [...ended, move(newState, stopReasonOf(event))] }
    },
  }
}

const nothing: TurnUpdate = { events: [] }

const trackTools = (tools: Set<string>, event: AgentEvent): void => {
  if (event.type === 'tool_call' && event.parentToolCallId === undefined)
    tools.add(event.toolCallId)
  else if (event.type === 'tool_result') tools.delete(event.message.toolCallId)
  else if (event.type === 'agent_end') tools.clear()
}

const outOfOrder = ({ type }: AgentEvent, state: TurnState): TurnUpdate => ({
  events: [],
  violation: `${type} is out of order in the state ${state}`,
})

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
    case 'turn_end':
      return 'step_end'
    default:
      return undefined
  }
}

const isStep = (event: AgentEvent, role: string): boolean =>
  role === 'assistant' && event.parentToolCallId === undefined

const stopReasonOf = (event: AgentEvent): string | undefined => {
  if (event.type !== 'agent_end') return undefined
  return event.stopReason ?? (event.interrupted ? 'interrupted' : undefined)
}

/** Adds what an event changes about the turn: before the event that ends the run, after others. */
export const withTurnStates = (event: AgentEvent, states: readonly AgentEvent[]): AgentEvent[] =>
  event.type === 'agent_end' ? [...states, event] : [event, ...states]
